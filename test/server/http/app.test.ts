import { expect, onTestFinished, test } from 'vitest'
import { createApp, type Handlers } from '../../../src/server/http/app.ts'
import { listen } from '../../../src/server/http/server.ts'
import { immediateDelivery, jsonBody, type OutgoingReply } from '../../../src/service/exchange/reply.ts'
import type { SimRequest } from '../../../src/service/exchange/request.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { createLogRecorder, type LogEntry } from '../../support/start.ts'

const replyWith = (headers: Record<string, string>): OutgoingReply => ({
  reply: { status: 200, headers, body: jsonBody({ fine: true }), origin: 'contract' },
  delivery: immediateDelivery,
  date: undefined,
})

/** The outcome of the service handler for each path. */
const outcomes: Record<string, () => ReturnType<Handlers['service']>> = {
  '/throws': () => {
    throw new Error('thrown at once')
  },
  '/rejects': () => Promise.reject(new Error('thrown later')),
  '/unsendable': async () => replyWith({ 'X-Broken': 'two\nlines' }),
  '/fine': async () => replyWith({}),
}

test('an exception is logged and becomes a 500 in the service’s format; other responses are unaffected', async () => {
  const logged: LogEntry[] = []
  const rejectCall = () => Promise.reject(new Error('unexpected call'))
  const service = ({ path }: SimRequest) => outcomes[path]?.() ?? rejectCall()
  const app = createApp(
    {
      service,
      control: { refuse: () => undefined, isImport: () => false, handle: rejectCall },
      requestIdPrefix: 'req',
      pages: { hosts: [], cors: [], origins: [] },
      stopping: new AbortController(),
    },
    '1mb',
    new Set(),
    createLogRecorder(logged),
  )
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, createLogRecorder(logged))
  if (!listening.ok) throw new Error(listening.error.message)
  onTestFinished(() => void listening.value.server.close())
  const paths = Object.keys(outcomes)
  // Sends all requests in one write, so that they are handled in the same tick.
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join('')
  const replies = await sendRaw(`http://127.0.0.1:${listening.value.port}`, requests, paths.length)
  expect(replies.map(({ status }) => status)).toEqual([500, 500, 500, 200])
  for (const { body } of replies.slice(0, 3)) {
    expect(body).toEqual({ success: false, error: expect.stringContaining("See the simulator's log") })
  }
  expect(replies[3]?.body).toEqual({ fine: true })
  expect(logged.map(({ level, message }) => `${level}: ${message}`)).toEqual(
    Array(3).fill('error: unexpected error while handling a request'),
  )
})
