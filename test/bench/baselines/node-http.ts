import { createServer } from 'node:http'
import { answers, port } from './given.ts'

/** The least that Node can do to send the same answer: it is there, a body that comes in is read and forgotten. */
createServer((request, response) => {
  const { status, headers, bytes } = answers[request.method === 'POST' ? 'POST' : 'GET']
  const answer = () => response.writeHead(status, headers).end(bytes)
  if (request.method === 'POST') request.resume().on('end', answer)
  else answer()
}).listen(port, '127.0.0.1')
