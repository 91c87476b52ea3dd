import { createServer } from 'node:http'
import { port, replies } from './recorded.ts'

/** The minimal `node:http` server that sends the same replies; it discards request bodies. */
createServer((request, response) => {
  const { status, headers, bytes } = replies[request.method === 'POST' ? 'POST' : 'GET']
  const answer = () => response.writeHead(status, headers).end(bytes)
  if (request.method === 'POST') request.resume().on('end', answer)
  else answer()
}).listen(port, '127.0.0.1')
