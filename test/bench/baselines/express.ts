import express from 'express'
import { bodies, port } from './given.ts'

/** What anybody would write first: routes, and `express.json()` where there is a body. */
const app = express()
app.get('/v1/models/:modelId/analytics', (_request, response) => {
  response.status(bodies.GET.status).type('json').send(bodies.GET.bytes)
})
app.post('/v1/events', express.json(), (_request, response) => {
  response.status(bodies.POST.status).type('json').send(bodies.POST.bytes)
})
app.listen(port, '127.0.0.1')
