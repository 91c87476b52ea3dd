import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'

/* A server that sends recorded simulator responses, using either plain Express or only `node:http`. */
const [, , name, port, file = ''] = process.argv

type Method = 'GET' | 'POST'
interface RecordedReply {
  readonly status: number
  readonly headers: readonly string[]
  readonly text: string
}

const recorded: Readonly<Record<Method, RecordedReply>> = JSON.parse(readFileSync(file, 'utf8'))

/** The headers that Node adds itself. */
const nodeHeaders = ['date', 'connection', 'keep-alive']

function encodeReply({ status, headers, text }: RecordedReply) {
  const own = headers.flatMap((header, at) =>
    at % 2 > 0 || nodeHeaders.includes(header.toLowerCase()) ? [] : [header, headers[at + 1] ?? ''],
  )
  return { status, headers: own, bytes: Buffer.from(text) }
}

const replies = { GET: encodeReply(recorded.GET), POST: encodeReply(recorded.POST) }

function sendReply(response: ServerResponse, method: Method): void {
  const { status, headers, bytes } = replies[method]
  response.writeHead(status, headers).end(bytes)
}

if (name === 'Express') {
  // Importing Express takes as long as the rest of startup, so the other server does not import it.
  const { default: express } = await import('express')
  const app = express()
  app.disable('x-powered-by') // so that both servers send the same bytes
  app.get('/v1/models/:modelId/analytics', (_request, response) => sendReply(response, 'GET'))
  app.post('/v1/events', express.json(), (_request, response) => sendReply(response, 'POST'))
  app.listen(Number(port), '127.0.0.1')
} else {
  createServer((request, response) => {
    if (request.method === 'POST') request.resume().on('end', () => sendReply(response, 'POST'))
    else sendReply(response, 'GET')
  }).listen(Number(port), '127.0.0.1')
}
