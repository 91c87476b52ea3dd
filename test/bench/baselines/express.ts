import express, { type Response } from 'express'
import { port, replies } from './recorded.ts'

/** A plain Express server: routes, and `express.json()` for bodies. Without ETag and `X-Powered-By`, so that it sends the same bytes. */
const app = express()
app.disable('x-powered-by')
app.get('/v1/models/:modelId/analytics', (_request, response) => sendReply(response, 'GET'))
app.post('/v1/events', express.json(), (_request, response) => sendReply(response, 'POST'))
app.listen(port, '127.0.0.1')

function sendReply(response: Response, method: 'GET' | 'POST'): void {
  const { status, headers, bytes } = replies[method]
  response.writeHead(status, headers).end(bytes)
}
