import { describe, expect } from 'vitest'
import { analyticsPath, ask, objectOf } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { type TestSimulator, test } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

const sim = sharedSimulator()
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const otherId = '0af7651916cd43dd8448eb211c80319c'
const parent = '00f067aa0ba902b7'

const send = (target: TestSimulator, traceparent: string) => ask(target, analyticsPath, { headers: { traceparent } })

/** Returns the trace ids of the listed requests. */
const listTraceIds = async (target: TestSimulator, query?: string) =>
  (await listRequests(target, query)).map((one) => one.traceId)

describe('the trace id of traceparent', () => {
  test.each([
    ['a version 00', `00-${traceId}-${parent}-01`, traceId],
    ['a later version with more parts', `cc-${traceId}-${parent}-00-what-comes`, traceId],
    ['a version 00 with more parts', `00-${traceId}-${parent}-01-more`, undefined],
    ['the version ff', `ff-${traceId}-${parent}-01`, undefined],
    ['capital letters', `00-${traceId.toUpperCase()}-${parent}-01`, undefined],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${parent}-01`, undefined],
    ['a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    ['two headers', `00-${traceId}-${parent}-01, 00-${otherId}-${parent}-01`, undefined],
  ])('is in the journal if the header is valid: %s', async (_what, traceparent, expected) => {
    const response = await send(sim(), traceparent)
    const entry = await ask(sim(), `/__sim/requests/${response.headers.get('x-request-id')}`)
    expect(objectOf(entry)['traceId']).toBe(expected)
    expect(response.headers.get('x-sim-advice')).toBeNull()
  })

  test('is in the line of the log', async ({ own }) => {
    await send(own, `00-${traceId}-${parent}-01`)
    await send(own, 'none')
    const lines = own.logged.filter(({ message }) => message === 'responded').map(({ fields }) => fields)
    expect(lines).toEqual([expect.objectContaining({ traceId }), expect.not.objectContaining({ traceId })])
  })

  test('selects requests in lists, verifications and counts, in any case of its letters', async ({ own }) => {
    for (const id of [traceId, otherId, traceId]) await send(own, `00-${id}-${parent}-01`)
    await ask(own, analyticsPath)
    expect(await listTraceIds(own)).toEqual([traceId, otherId, traceId, undefined])
    expect(await listTraceIds(own, `traceId=${otherId.toUpperCase()}`)).toEqual([otherId])
    const match = { traceId }
    expect(await steer(own, 'POST', '/requests/count', { match })).toMatchObject({ count: 2 })
    const verified = { match: { traceId: otherId }, count: { exactly: 1 } }
    expect(await steer(own, 'POST', '/verify', verified)).toMatchObject({ satisfied: true })
  })

  test('is a condition of rules, so that a scenario hits the requests of one trace', async ({ own }) => {
    await putRules(own, [{ match: { traceId }, scenario: 'unavailable' }])
    expect((await send(own, `00-${otherId}-${parent}-01`)).status).toBe(200)
    expect((await send(own, `00-${traceId}-${parent}-01`)).status).toBe(503)
  })
})
