import { describe, expect, test } from 'vitest'
import { operationOf } from '../support/catalogue.ts'
import { callOperation, expectRefusal, operations, readStateInfo } from '../support/client.ts'
import { describeViolations } from '../support/documented.ts'
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
  test.each(codes)('selects $status on $operation.id and is acknowledged', async ({ operation, status }) => {
    const response = await callOperation(sim(), operation, prefer(`code=${status}`))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([status, `code=${status}`])
    expect(describeViolations(operation.id, status, response.body)).toEqual([])
  })

  test.each(['499', '', '4xx', '404.0', '201'])('%j is refused with a list of the documented codes', async (code) => {
    const response = await callOperation(sim(), analytics, prefer(`code=${code}`))
    expectRefusal(response, 400, operationOf(analytics.id).statuses.join(', '))
    expect(response.headers.get('preference-applied')).toBeNull()
  })
})

describe('Prefer: example', () => {
  test.each(examples)('selects $status $name on $operation.id and stores nothing', async (example) => {
    const { operation, status, name, value } = example
    const before = await readStateInfo(sim())
    const response = await callOperation(sim(), operation, prefer(`code=${status}, example=${name}`))
    expect(await readStateInfo(sim())).toEqual(before)
    expect([response.status, response.body]).toEqual([status, value])
    expect(response.headers.get('preference-applied')).toBe(`code=${status}, example=${name}`)
    expect(response.headers.get('x-sim-origin')).toBe('scenario')
    if (status === 429) expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('without a code can select an example for any status', async () => {
    const success = await callOperation(sim(), analytics, prefer('example=critical'))
    expect([success.status, success.headers.get('preference-applied')]).toEqual([200, 'example=critical'])
    expect((await callOperation(sim(), analytics, prefer('example=plan_too_low'))).status).toBe(403)
  })

  test('conflicts with lost-ack, which runs the operation, but not with damage that has when=before', async () => {
    const send = (scenario: string) => callOperation(sim(), createEvent, { ...prefer('example=recorded'), scenario })
    expectRefusal(await send('lost-ack'), 400, '"lost-ack" cannot be combined with Prefer: example')
    await expect(send('malformed-json;when=before')).rejects.toThrow('did not return JSON')
  })

  const unknown = ['example=nonsense', 'code=404, example=plan_too_low', 'example=']
  test.each(unknown)('is refused with a list of the documented examples if none of them matches: %s', async (text) => {
    expectRefusal(await callOperation(sim(), analytics, prefer(text)), 400, /200 healthy.*403 plan_too_low/)
  })
})

describe('a Prefer header', () => {
  test.each([
    ['quotes', 'code="404"'],
    ['capitals', 'CODE=404'],
    ['spaces around the equals sign', 'code = 404'],
    ['parameters after a preference', 'code=404; reason=test'],
    ['other preferences before the code', 'respond-async, wait=10, code=404'],
    ['a repeated name, whose first value counts', 'code=404, code=403'],
    ['a code after a semicolon', 'respond-async; code=404'],
    ['a quoted string after many spaces', `a${' '.repeat(1900)}"x"y, code=404`],
  ])('can contain %s', async (_name, text) => {
    const response = await callOperation(sim(), analytics, prefer(text))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([404, 'code=404'])
  })

  test.each([
    ['an invalid body', createEvent, { prefer: 'code=201' }, { body: {} }],
    ['the key’s plan', analytics, { prefer: 'code=200' }, { token: 'key_free' }],
    ['impossible damage', analytics, { prefer: 'example=healthy', 'x-sim-scenario': 'drop-field;pointer=/none' }, {}],
  ])('is not acknowledged if the request is refused because of %s', async (_name, operation, headers, options) => {
    const response = await callOperation(sim(), operation, { headers, ...options })
    expect([response.status < 400, response.headers.get('preference-applied')]).toEqual([false, null])
  })

  const unknownPreferences = ['respond-async', 'return=minimal', 'wait=100', 'codex=404', '']
  test.each(unknownPreferences)('is ignored if it contains no known preference: %j', async (text) => {
    const response = await callOperation(sim(), analytics, prefer(text))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null])
  })

  test.each([
    ['too many characters in this header', { prefer: `wait=${'1'.repeat(2000)}` }, /at most 2000 characters long/],
    ['a code and a scenario', { prefer: 'code=404', 'x-sim-scenario': 'forbidden' }, /cannot both act/],
    ['an example and a scenario', { prefer: 'example=healthy', 'x-sim-scenario': 'forbidden' }, /Leave out one/],
    ['two different seeds', { prefer: 'seed=43', 'x-sim-seed': '42' }, /differ; send only one/],
    [
      'a code and an example of another status',
      { prefer: 'code=404;example=healthy' },
      /JSON example for 404\. Known: 200 healthy/,
    ],
    ['an example and a sequence', { prefer: 'example=sparse', 'x-sim-sequence': 'no-null' }, /Leave out one/],
    ['an example and "truncated"', { prefer: 'example=sparse', 'x-sim-scenario': 'truncated' }, /when=before/],
  ] as [string, Record<string, string>, RegExp][])(
    'is refused if the request has %s',
    async (_name, headers, words) => {
      const response = await callOperation(sim(), analytics, { headers })
      expectRefusal(response, 400, words)
      expect(response.headers.get('preference-applied')).toBeNull()
    },
  )
})
