import { describe, expect, test } from 'vitest'
import type { ScenarioDefinition } from '../../src/scenarios/definition.ts'
import { activate, inputs, operationOf, scenarioText } from '../support/catalogue.ts'
import {
  type Answer,
  allOperations,
  ask,
  askOperation,
  errorOf,
  expectRefusal,
  operations,
  readStateInfo,
} from '../support/client.ts'
import { documentedStatuses, faultsOf } from '../support/documented.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const sim = sharedSimulator()

const byId = new Map(allOperations.map((operation) => [operation.id, operation]))

/** The families whose effect is an answer; those that are about the wire have a sweep of their own. */
const answers = ({ family }: ScenarioDefinition) => family === 'refusals' || family === 'data'

/** Every such entry of the catalogue on every operation, so that a new one of either is tested by itself. */
const sweep = inputs.catalogue.definitions.filter(answers).flatMap((entry) =>
  inputs.contract.operations.map(({ id }) => {
    const operation = byId.get(id)
    if (!operation) throw new Error(`test/support/client.ts has no request for ${id}`)
    return {
      entry,
      operation,
      text: scenarioText(entry),
      reason: entry.inapplicableReason(operationOf(id), activate(entry).values),
    }
  }),
)
const fitting = sweep.filter(({ reason }) => reason === undefined)
const misfits = sweep.filter(({ reason }) => reason !== undefined)

/** The statuses of named refusals in the bundled document. */
const statusOf: Readonly<Record<string, number>> = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'rate-limited': 429,
  'server-error': 500,
  unavailable: 503,
}

/** Returns the status of a refusal: by the table, by its description (`Answers 413: ...`), or its name where that is a status. */
function statusIn({ name, description }: ScenarioDefinition): number {
  return statusOf[name] ?? Number(/^Answers (\d{3}): /.exec(description)?.[1] ?? name)
}

function expectRetryHeaders({ status, headers }: Answer): void {
  if (status !== 429) return
  const seconds = Number(headers.get('retry-after'))
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(Number(headers.get('retry-after-ms'))).toBeLessThanOrEqual(seconds * 1000)
  expect(headers.get('ratelimit')).toMatch(/^"[^"]+";r=0;t=\d+$/)
  expect(headers.get('ratelimit-policy')).toMatch(/^"[^"]+";q=\d+;w=3600$/)
}

function expectScriptedRefusal(answer: Answer, operationId: string, status: number): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status })
  expect(errorOf(answer)).not.toBe('')
  expect(faultsOf(operationId, status, answer.body)).toEqual([])
  expect(answer.headers.get('x-sim-origin')).toBe('scenario')
  expectRetryHeaders(answer)
  if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer')
}

describe('the refusals family', () => {
  const refusals = fitting.filter(({ entry }) => entry.family === 'refusals')

  test.each(refusals)('$text on $operation.id', async ({ entry, operation, text }) => {
    const before = await readStateInfo(sim())
    const answer = await askOperation(sim(), operation, { headers: { 'x-sim-scenario': text } })
    const status = statusIn(entry)
    expect(answer.headers.get('x-sim-scenario')).toBe(text)
    if (status < 400) {
      expect(answer.status).toBe(operation.success)
      expect(faultsOf(operation.id, operation.success, answer.body)).toEqual([])
    } else {
      expectScriptedRefusal(answer, operation.id, status)
      expect(await readStateInfo(sim())).toEqual(before)
    }
  })

  test('has every name of the design, and every documented status by its number', () => {
    const documented = documentedStatuses().flatMap(({ statuses }) => statuses.map(String))
    const names = inputs.catalogue.definitions.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...Object.keys(statusOf), ...documented]))
  })
})

describe('the data family', () => {
  const shapes = fitting.filter(({ entry }) => entry.family === 'data')

  test.each(shapes)('$text on $operation.id is an answer that fits the document', async ({ operation, text }) => {
    const answer = await askOperation(sim(), operation, { headers: { 'x-sim-scenario': text } })
    expect(answer.status).toBe(operation.success)
    expect(faultsOf(operation.id, operation.success, answer.body)).toEqual([])
    expect(answer.headers.get('x-sim-scenario')).toBe(text)
    expect(answer.headers.get('x-sim-origin')).toBe('contract')
  })

  test('has every persona by its name', () => {
    const names = inputs.catalogue.definitions.filter(({ family }) => family === 'data').map(({ name }) => name)
    const personas = inputs.fixtures.personas.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...personas, 'all-null', 'no-null', 'null']))
  })
})

test('the sweep is not empty', () => {
  expect([fitting.length > 40, misfits.length > 20]).toEqual([true, true])
})

describe('a scenario that makes no sense for the operation', () => {
  test.each(misfits)('$text on $operation.id is refused, with the reason', async ({ operation, text, reason }) => {
    const before = await readStateInfo(sim())
    const answer = await askOperation(sim(), operation, { headers: { 'x-sim-scenario': text } })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-sim-origin')).toBe('simulator')
    expect(errorOf(answer)).toContain(text)
    expect(errorOf(answer)).toContain(reason)
    expect(await readStateInfo(sim())).toEqual(before)
  })

  test('is passed over where it comes from --scenario', async () => {
    const own = await startForTest({ scenario: 'critical' })
    for (const operation of operations) {
      expect((await askOperation(own, operation)).status).toBe(operation.success)
    }
  })
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
    ['rate-limited;=3', /not written as name=value/],
    ['rate-limited;retry=3', /no parameter "retry".*retry-after/],
    ['rate-limited;retry-after=soon', /a whole number from 0 to 86400.*"soon"/],
    ['rate-limited;retry-after=', /a whole number from 0/],
    ['rate-limited;retry-after=-1', /from 0/],
    ['rate-limited;retry-after=1.5', /a whole number/],
    ['rate-limited;retry-after=86401', /to 86400/],
    ['rate-limited;limit=0', /from 1/],
    ['forbidden;retry-after=3', /no parameter "retry-after"; it takes: p/],
    ['null', /needs the parameter "fields"/],
    ['null;fields=', /names, separated by/],
    ['null;fields=conversationCount', /"conversationCount" is no nullable field.*avgSafetyScore/],
    ['null;fields=recommendations|nonsense', /"nonsense" is no nullable field/],
    ['forbidden, nonsense', /no scenario "nonsense"/],
    [`null;fields=${'x'.repeat(2000)}`, /at most 2000 characters/],
  ])('%s is refused', async (text, words) => {
    const [analytics] = operations
    const answer = await askOperation(sim(), analytics, { headers: { 'x-sim-scenario': text } })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-sim-origin')).toBe('simulator')
    expect(errorOf(answer)).toMatch(words)
  })

  test.each(['x-sim-scenarios', 'x-sim-delay', 'x-sim-now-or-never'])('the header %s is refused', async (name) => {
    const [analytics] = operations
    expectRefusal(
      await askOperation(sim(), analytics, { headers: { [name]: 'forbidden' } }),
      400,
      new RegExp(`"${name}".*x-sim-scenario`),
    )
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

  test.each([
    ['', /names no scenario/],
    [' ', /names no scenario/],
    [',', /empty item/],
  ])('the header %j, which names nothing, is refused', async (text, words) => {
    expectRefusal(await askOperation(sim(), analytics, { headers: { 'x-sim-scenario': text } }), 400, words)
  })

  test.each([
    'drop-field, null-required',
    'forbidden, critical',
    'server-error, null;fields=recommendations',
    '200, 429',
    'reset, hang',
  ])('%s cannot both act', async (text) => {
    expectRefusal(
      await askOperation(sim(), analytics, { headers: { 'x-sim-scenario': text } }),
      400,
      /cannot both act on one answer/,
    )
  })

  test('a refusal that only may come leaves the rest something to act on', async () => {
    const headers = { 'x-sim-scenario': 'rate-limited;p=0, null;fields=recommendations' }
    const answer = await askOperation(sim(), analytics, { headers })
    expect(answer.body).toMatchObject({ recommendations: null })
  })
})

describe('precedence: request > start-up > default', () => {
  const [analytics, createPrompt] = operations
  const magicModel = '/v1/models/00000000-0000-4000-8000-000000000429/analytics'

  test('--scenario acts on every request', async () => {
    const own = await startForTest({ scenario: 'rate-limited;retry-after=3' })
    for (const operation of operations) {
      const answer = await askOperation(own, operation)
      expectScriptedRefusal(answer, operation.id, 429)
      expect(answer.headers.get('retry-after')).toBe('3')
      expect(answer.headers.get('x-sim-scenario')).toBe('rate-limited;retry-after=3')
    }
    expect(await readStateInfo(own)).toMatchObject({ events: 0, prompts: 0 })
  })

  test.each([
    ['the request goes before start-up', { 'x-sim-scenario': 'forbidden' }, analytics.path, 'any-key', 403],
    ['Prefer goes before start-up', { prefer: 'code=404' }, analytics.path, 'any-key', 404],
    ['the success status asks for the service as it is', { 'x-sim-scenario': '200' }, analytics.path, 'any-key', 200],
    ['so does Prefer: code=200', { prefer: 'code=200' }, analytics.path, 'any-key', 200],
    ['a magic token goes before start-up', {}, analytics.path, 'key_forbidden', 403],
    ['a magic model goes before start-up', {}, magicModel, 'any-key', 429],
    ['a control goes before a magic token', { 'x-sim-scenario': '404' }, analytics.path, 'key_forbidden', 404],
    ['a control goes before a magic model', { 'x-sim-scenario': '404' }, magicModel, 'any-key', 404],
    ['start-up goes before nothing at all', {}, analytics.path, 'any-key', 503],
  ])('%s', async (_name, headers, path, token, status) => {
    const own = await startForTest({ scenario: 'unavailable' })
    expect((await ask(own, path, { headers: headers as Record<string, string>, token })).status).toBe(status)
  })

  test('a magic token acts on what its scenario fits, and start-up on the rest', async () => {
    const own = await startForTest({ scenario: 'critical' })
    expect((await askOperation(own, createPrompt, { token: 'key_server_error' })).status).toBe(500)
    expect((await askOperation(own, createPrompt)).status).toBe(201)
  })
})
