import { describe, expect, test } from 'vitest'
import { inputs } from '../support/catalogue.ts'
import { askOperation, errorOf, expectRefusal, operations, readStateInfo } from '../support/client.ts'
import { documentedStatuses } from '../support/documented.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator()

test('the catalogue has each refusal by its name, each documented status by its number, and each persona', () => {
  const refusals = ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'rate-limited', 'server-error']
  const documented = documentedStatuses().flatMap(({ statuses }) => statuses.map(String))
  const personas = inputs.fixtures.personas.map(({ name }) => name)
  const expected = [...refusals, 'unavailable', ...documented, ...personas, 'all-null', 'no-null', 'null']
  expect(inputs.catalogue.definitions.map(({ name }) => name)).toEqual(expect.arrayContaining(expected))
})

test('a scenario that makes no sense for the operation is passed over where it comes from --scenario', async () => {
  const own = await startForTest({ scenario: 'critical' })
  for (const operation of operations) expect((await askOperation(own, operation)).status).toBe(operation.success)
})

describe('a scenario that cannot be understood', () => {
  const all = /list all\.$/

  test.each<[string, RegExp]>([
    ['rate-limit', /Did you mean "rate-limited"\?/],
    ['Forbidden', /Did you mean "forbidden"\?/],
    ['499', /The documented statuses are 200, 201, 400, [\d, ]+\.$/],
    ['200.0', all],
    ['forbidden not-found', all],
    ['=', all],
    ['{}', all],
  ])('%j is refused with the nearest name, or with the place of the list', async (text, words) => {
    const before = await readStateInfo(sim())
    for (const operation of operations) {
      expectRefusal(
        await askOperation(sim(), operation, { headers: { 'x-sim-scenario': text } }),
        400,
        words,
        `There is no scenario "${text}".`,
      )
    }
    expect(await readStateInfo(sim())).toEqual(before)
  })

  test.each([
    ['rate-limited;retry-after', /not written as name=value/],
    ['rate-limited;retry=3', /no parameter "retry".*retry-after/],
    ['forbidden;retry-after=3', /no parameter "retry-after"; it takes: p/],
    ['null', /needs the parameter "fields"/],
    ['null;fields=conversationCount', /"conversationCount" is no nullable field.*avgSafetyScore/],
    ['null;fields=recommendations|nonsense', /"nonsense" is no nullable field/],
    ['forbidden, nonsense', /no scenario "nonsense"/],
    [`null;fields=${'x'.repeat(2000)}`, /at most 2000 characters/],
    ['', /names no scenario/],
    [' ', /names no scenario/],
    [',', /empty item/],
    ['drop-field, null-required', /cannot both act on one answer/],
    ['forbidden, critical', /cannot both act on one answer/],
    ['server-error, null;fields=recommendations', /cannot both act on one answer/],
    ['200, 429', /cannot both act on one answer/],
    ['reset, hang', /cannot both act on one answer/],
  ])('%j is refused', async (text, words) => {
    const [analytics] = operations
    const answer = await askOperation(sim(), analytics, { headers: { 'x-sim-scenario': text } })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-sim-origin')).toBe('simulator')
    expect(errorOf(answer)).toMatch(words)
  })

  test.each([['nonsense'], ['rate-limited;retry-after=soon'], ['null']])(
    '--scenario %s keeps the simulator from starting',
    async (scenario) => {
      await expect(startForTest({ scenario })).rejects.toThrow(/--scenario/)
    },
  )
})

describe('parameters', () => {
  const [analytics] = operations

  test.each([
    ['rate-limited', '1', '1000', 60],
    ['rate-limited;retry-after=3', '3', '3000', 60],
    ['rate-limited; retry-after = 3 ; limit=5', '3', '3000', 5],
    ['rate-limited;retry-after="3"', '3', '3000', 60],
    ['rate-limited;retry-after=0', '0', '0', 60],
    ['429;retry-after=7', '7', '7000', 60],
  ])('%s says when to come back', async (text, seconds, milliseconds, limit) => {
    const answer = await askOperation(sim(), analytics, { headers: { 'x-sim-scenario': text } })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe(seconds)
    expect(answer.headers.get('retry-after-ms')).toBe(milliseconds)
    expect(answer.headers.get('ratelimit-policy')).toContain(`q=${limit};`)
  })

  test('several scenarios act together: a persona without recommendations', async () => {
    const headers = { 'x-sim-scenario': 'healthy,null;fields=recommendations' }
    const answer = await askOperation(sim(), analytics, { headers })
    expect(answer.body).toMatchObject({ recommendations: null, avgSafetyScore: expect.any(Number) })
  })

  test('a refusal that only may come leaves the rest something to act on', async () => {
    const headers = { 'x-sim-scenario': 'rate-limited;p=0, null;fields=recommendations' }
    const answer = await askOperation(sim(), analytics, { headers })
    expect(answer.body).toMatchObject({ recommendations: null })
  })
})

describe('--scenario', () => {
  const [, createPrompt] = operations

  test('acts on every request', async () => {
    const own = await startForTest({ scenario: 'rate-limited;retry-after=3' })
    for (const operation of operations) {
      const answer = await askOperation(own, operation)
      expectRefusal(answer, 429)
      expect(answer.headers.get('retry-after')).toBe('3')
      expect(answer.headers.get('x-sim-scenario')).toBe('rate-limited;retry-after=3')
    }
    expect(await readStateInfo(own)).toMatchObject({ events: 0, prompts: 0 })
  })

  test('a magic token acts on what its scenario fits, and start-up on the rest', async () => {
    const own = await startForTest({ scenario: 'critical' })
    expect((await askOperation(own, createPrompt, { token: 'key_server_error' })).status).toBe(500)
    expect((await askOperation(own, createPrompt)).status).toBe(201)
  })
})
