import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/base/core/json.ts'
import type { Exchange } from '../../../src/server/pipeline/exchange.ts'
import { checkReply } from '../../../src/server/pipeline/reply-stages.ts'
import { jsonBody, type Origin, type Reply } from '../../../src/service/exchange/reply.ts'
import { operationOf } from '../../support/catalogue.ts'
import { createLogRecorder, type LogEntry } from '../../support/start.ts'

function setup() {
  const logged: LogEntry[] = []
  const check = checkReply({ log: createLogRecorder(logged) })
  const operation = operationOf('createEvent')
  const exchange = { operation, handler: {}, request: { id: 'req-1' } } as unknown as Exchange
  const respond = (status: number, body: Json, origin: Origin = 'contract'): Reply =>
    check(exchange, { status, headers: {}, body: jsonBody(body), origin })
  return { respond, logged }
}

const receipt = { success: true, eventId: '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75' }

describe('a response from the simulator', () => {
  test.each<[string, number, Json, Origin?]>([
    ['a valid receipt', 201, receipt],
    ['a documented refusal', 400, { success: false, error: 'Wrong.' }],
    ['an undocumented refusal', 499, { success: false, error: 'A teapot.' }],
    ['an example from the document, even with an ID that is not a UUID', 201, { eventId: 'order-1' }, 'scenario'],
    ['a response about the simulator itself, to which the contract does not apply', 400, { anything: 1 }, 'simulator'],
  ])('is returned unchanged if it is %s', (_name, status, body, origin) => {
    const { respond, logged } = setup()
    expect(respond(status, body, origin)).toMatchObject({ status, body: { value: body } })
    expect(logged).toEqual([])
  })

  test.each([
    ['a receipt without an ID', 201, { success: true }],
    ['an undocumented success', 200, receipt],
    ['a simulated receipt whose ID is not a UUID', 201, { success: true, eventId: 'order-1' }],
    ['an error without a message', 400, { success: false, error: '' }],
    ['an error with success: true', 400, { success: true, error: 'Wrong.' }],
  ])('that breaks the contract becomes a 500 in the service’s format and is logged: %s', (_name, status, body) => {
    const { respond, logged } = setup()
    const reply = respond(status, body)
    expect(reply).toMatchObject({ status: 500, origin: 'simulator', body: { value: { success: false } } })
    expect(operationOf('createEvent').checkResponse(500, reply.body?.value ?? null)).toEqual([])
    expect(logged).toMatchObject([{ level: 'error', fields: { requestId: 'req-1', operation: 'createEvent', status } }])
  })
})
