import { describe, expect, test } from 'vitest'
import { operationOf } from '../support/catalogue.ts'
import { askOperation, expectRefusal, operations, readStateInfo } from '../support/client.ts'
import { faultsOf } from '../support/documented.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()
const [analytics, , createEvent] = operations

const codes = operations.flatMap((operation) =>
  operationOf(operation.id).statuses.map((status) => ({ operation, status })),
)

const examples = codes.flatMap(({ operation, status }) =>
  operationOf(operation.id)
    .examples(status)
    .map(({ name, value }) => ({ operation, status, name, value })),
)

const prefer = (text: string) => ({ headers: { prefer: text } })

describe('Prefer: code', () => {
  test.each(codes)('$status on $operation.id is handled and acknowledged', async ({ operation, status }) => {
    const response = await askOperation(sim(), operation, prefer(`code=${status}`))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([status, `code=${status}`])
    expect(faultsOf(operation.id, status, response.body)).toEqual([])
  })

  test.each(['499', '', '4xx', '404.0', '201'])('%j is refused with the documented codes', async (code) => {
    const response = await askOperation(sim(), analytics, prefer(`code=${code}`))
    expectRefusal(response, 400, operationOf(analytics.id).statuses.join(', '))
    expect(response.headers.get('preference-applied')).toBeNull()
  })
})

describe('Prefer: example', () => {
  test.each(examples)('$status $name on $operation.id is sent, and nothing is written', async (example) => {
    const { operation, status, name, value } = example
    const before = await readStateInfo(sim())
    const response = await askOperation(sim(), operation, prefer(`code=${status}, example=${name}`))
    expect(await readStateInfo(sim())).toEqual(before)
    expect([response.status, response.body]).toEqual([status, value])
    expect(response.headers.get('preference-applied')).toBe(`code=${status}, example=${name}`)
    expect(response.headers.get('x-sim-origin')).toBe('scenario')
    if (status === 429) expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('without a code is found in any status', async () => {
    const success = await askOperation(sim(), analytics, prefer('example=critical'))
    expect([success.status, success.headers.get('preference-applied')]).toEqual([200, 'example=critical'])
    expect((await askOperation(sim(), analytics, prefer('example=plan_too_low'))).status).toBe(403)
  })

  test('conflicts with lost-ack, which would store nothing, but allows a delivery fault before the work', async () => {
    const how = (scenario: string) => ({ headers: { prefer: 'example=recorded', 'x-sim-scenario': scenario } })
    expectRefusal(await askOperation(sim(), createEvent, how('lost-ack')), 400, '"lost-ack" needs the operation to run')
    await expect(askOperation(sim(), createEvent, how('malformed-json;when=before'))).rejects.toThrow('no JSON')
  })

  const unknown = ['example=nonsense', 'code=404, example=plan_too_low', 'example=']
  test.each(unknown)('%s is refused with the documented examples', async (text) => {
    expectRefusal(await askOperation(sim(), analytics, prefer(text)), 400, /200 healthy.*403 plan_too_low/)
  })
})

describe('Prefer according to RFC 7240', () => {
  test.each([
    ['quotes', 'code="404"'],
    ['capitals', 'CODE=404'],
    ['spaces around the equals sign', 'code = 404'],
    ['parameters of a preference', 'code=404; reason=test'],
    ['other preferences beside it', 'respond-async, wait=10, code=404'],
    ['the first of two equal names counts', 'code=404, code=403'],
    ['others after a semicolon', 'respond-async; code=404'],
    ['a quote in the middle of many spaces', `a${' '.repeat(1900)}"x"y, code=404`],
  ])('%s', async (_name, text) => {
    const response = await askOperation(sim(), analytics, prefer(text))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([404, 'code=404'])
  })

  test.each([
    ['a violation', createEvent, { prefer: 'code=201' }, { body: {} }],
    ['a missing plan', analytics, { prefer: 'code=200' }, { token: 'key_free' }],
    ['impossible damage', analytics, { prefer: 'example=healthy', 'x-sim-scenario': 'drop-field;pointer=/none' }, {}],
  ])('a preference is not acknowledged if %s refuses the request', async (_name, operation, headers, how) => {
    const response = await askOperation(sim(), operation, { headers, ...how })
    expect([response.status < 400, response.headers.get('preference-applied')]).toEqual([false, null])
  })

  const others = ['respond-async', 'return=minimal', 'wait=100', 'codex=404', '']
  test.each(others)('%j is for others, and ignored', async (text) => {
    const response = await askOperation(sim(), analytics, prefer(text))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null])
  })

  test.each([
    ['a header longer than other controls', { prefer: `wait=${'1'.repeat(2000)}` }, /at most 2000 characters long/],
    ['a code and a scenario', { prefer: 'code=404', 'x-sim-scenario': 'forbidden' }, /cannot both act/],
    ['an example and a scenario', { prefer: 'example=healthy', 'x-sim-scenario': 'forbidden' }, /Leave out one/],
    ['two different seeds', { prefer: 'seed=43', 'x-sim-seed': '42' }, /differ; send one/],
    ['an example after a semicolon', { prefer: 'code=404;example=healthy' }, /documents 200 healthy/],
    ['an example and a sequence', { prefer: 'example=sparse', 'x-sim-sequence': 'no-null' }, /Leave out one/],
    ['an example and damage', { prefer: 'example=sparse', 'x-sim-scenario': 'truncated' }, /when=before/],
  ] as [string, Record<string, string>, RegExp][])('%s is refused', async (_name, headers, words) => {
    const response = await askOperation(sim(), analytics, { headers })
    expectRefusal(response, 400, words)
    expect(response.headers.get('preference-applied')).toBeNull()
  })
})
