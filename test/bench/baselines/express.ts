import express, { type Response } from 'express'
import { answers, port } from './given.ts'

/** Routes, and `express.json()` where there is a body; no ETag and no guesses, which would be work for other bytes. */
const app = express()
app.disable('x-powered-by')
app.get('/v1/models/:modelId/analytics', (_request, response) => answer(response, 'GET'))
app.post('/v1/events', express.json(), (_request, response) => answer(response, 'POST'))
app.listen(port, '127.0.0.1')

function answer(response: Response, method: 'GET' | 'POST'): void {
  const { status, headers, bytes } = answers[method]
  response.writeHead(status, headers).end(bytes)
}
