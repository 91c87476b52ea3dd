import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import {
  analyticsPath,
  call,
  callOperation,
  event,
  expectRefusal,
  objectOf,
  operations,
  prompt,
  readStateInfo,
} from '../../support/client.ts'
import { type BrokenRule, describeViolations, findBrokenRules } from '../../support/documented.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest } from '../../support/start.ts'

const sim = sharedSimulator()

/** The path of analytics with a value in every nullable field, so that every target can be damaged. */
const modelPath = '/v1/models/00000000-0000-4000-8000-0000000000f0/analytics?period=7d'

const closedKeyword = 'unevaluatedProperties'

/** `targets`: the minimum number of different targets that 40 seeds must hit. For writes, that is every target. */
const drifts = [
  { name: 'drop-field', keyword: 'required', targets: { getModelAnalytics: 25, createPrompt: 3, createEvent: 2 } },
  { name: 'wrong-type', keyword: 'type', targets: { getModelAnalytics: 25, createPrompt: 5, createEvent: 2 } },
  { name: 'null-required', keyword: 'type', targets: { getModelAnalytics: 25, createPrompt: 5, createEvent: 2 } },
  { name: 'unknown-enum', keyword: 'enum', targets: { getModelAnalytics: 8, createPrompt: 0, createEvent: 0 } },
  { name: 'extra-field', keyword: closedKeyword, targets: { getModelAnalytics: 10, createPrompt: 1, createEvent: 1 } },
] as const

const pairs = drifts
  .flatMap((drift) => operations.map((operation) => ({ ...drift, operation, minTargets: drift.targets[operation.id] })))
  .filter(({ minTargets }) => minTargets > 0)

/** Requests whose responses have every field. */
const fullRequests = {
  getModelAnalytics: [modelPath, {}],
  createPrompt: ['/v1/prompts', { body: prompt({ externalPromptId: 'p-1' }) }],
  createEvent: ['/v1/events', { body: event() }],
} as const

const callDamaged = (id: keyof typeof fullRequests, scenario: string) => {
  const [path, options] = fullRequests[id]
  return call(sim(), path, { ...options, scenario })
}

/** Returns the target named in X-Sim-Damage, such as `/messageCount` in `drop-field at /messageCount`. */
const targetIn = (headers: Headers) => /^\S+ at (\S+)$/.exec(headers.get('x-sim-damage') ?? '')?.[1] ?? ''

/** Lists the one rule that the damage at a target is expected to break. */
function brokenBy(keyword: string, target: string): BrokenRule[] {
  if (keyword !== closedKeyword) return [{ keyword, at: target }]
  return [{ keyword, at: `${target === '/' ? '' : target}/unexpectedField` }]
}

test.each(pairs)('$name on $operation.id breaks exactly one rule, with each of 40 seeds', async (pair) => {
  const { name, keyword, operation, minTargets } = pair
  const isStrict = keyword === closedKeyword
  const targets = new Set<string>()
  await Promise.all(
    Array.from({ length: 40 }, async (_, seed) => {
      const response = await callDamaged(operation.id, `${name};seed=${seed}`)
      const target = targetIn(response.headers)
      targets.add(target)
      expect(response.status).toBe(operation.success)
      expect(response.headers.get('x-sim-origin')).toBe('scenario')
      expect(findBrokenRules(operation.id, response.status, response.body, { isStrict })).toEqual(
        brokenBy(keyword, target),
      )
      if (isStrict) expect(describeViolations(operation.id, response.status, response.body)).toEqual([])
    }),
  )
  expect(targets.size).toBeGreaterThanOrEqual(minTargets)
})

describe('the target of drift', () => {
  const targetWith = async (scenario: string, seed?: string) => {
    const headers = seed === undefined ? {} : { 'x-sim-seed': seed }
    return targetIn((await call(sim(), modelPath, { scenario, headers })).headers)
  }

  test('is the same for the same seed, even in another simulator', async () => {
    const other = await call(await startForTest(), modelPath, { headers: { 'x-sim-scenario': 'wrong-type;seed=7' } })
    expect(targetIn(other.headers)).toBe(await targetWith('wrong-type;seed=7'))
  })

  test('depends on the request’s seed', async () => {
    const targets = await Promise.all(['1', '2', '3', '4', '5', '6'].map((seed) => targetWith('wrong-type', seed)))
    expect(new Set(targets).size).toBeGreaterThan(1)
  })
})

const namedTargets = [
  ['drop-field', '/messageCount', 'required'],
  ['drop-field', '/averageUserSentiment/label', 'required'],
  ['wrong-type', '/dataPoints/6/avgSafetyScore', 'type'],
  ['null-required', '/dataPoints/0/date', 'type'],
  ['unknown-enum', '/recommendations/healthLevel', 'enum'],
  ['extra-field', '/dataPoints/2', 'unevaluatedProperties'],
] as const

test.each(namedTargets)('%s acts on the named target %s', async (name, pointer, keyword) => {
  const response = await call(sim(), modelPath, { headers: { 'x-sim-scenario': `${name};pointer=${pointer}` } })
  expect(response.headers.get('x-sim-damage')).toBe(`${name} at ${pointer}`)
  expect(findBrokenRules('getModelAnalytics', 200, response.body, { isStrict: true })).toEqual(
    brokenBy(keyword, pointer),
  )
})

test('a pointer with an asterisk damages every item of a list, and nothing else', async () => {
  const undamaged = objectOf(await call(sim(), modelPath))
  const response = await call(sim(), modelPath, { scenario: 'null-required;pointer=/dataPoints/*/date' })
  expect(response.headers.get('x-sim-damage')).toBe('null-required at /dataPoints/*/date')
  const points = undamaged['dataPoints'] as JsonObject[]
  expect(response.body).toEqual({ ...undamaged, dataPoints: points.map((point) => ({ ...point, date: null })) })
})

test.each([
  ['createEvent', 'drop-field', '/nothing'],
  ['createEvent', 'drop-field', '/eventId/deeper'],
  ['createEvent', 'extra-field', '/eventId'],
  ['createPrompt', 'drop-field', '/externalPromptId'],
  ['createPrompt', 'null-required', '/componentIds/*'],
  ['createPrompt', 'wrong-type', '/componentIds/7'],
  ['getModelAnalytics', 'unknown-enum', '/messageCount'],
  ['getModelAnalytics', 'null-required', '/avgSafetyScore'],
] as const)('on %s, %s at the impossible target %s is refused, and nothing is stored', async (id, name, pointer) => {
  const before = await readStateInfo(sim())
  const response = await callDamaged(id, `${name};pointer=${pointer}`)
  expectRefusal(response, 400, `be applied at ${pointer}`, /Did you mean "|Known: (\/|"" \(the whole response\))/)
  expect(await readStateInfo(sim())).toEqual(before)
})

test('drift is refused if the response has no suitable target', async () => {
  const empty = '/v1/models/00000000-0000-4000-8000-0000000000f1/analytics'
  const scenarios = ['unknown-enum', 'drop-field;pointer=/recommendations/summary', 'wrong-type;pointer=/dataPoints/30']
  for (const scenario of [...scenarios, 'drop-field;pointer=/recommendations/summary, reset']) {
    const response = await call(sim(), empty, { headers: { 'x-sim-scenario': scenario } })
    expectRefusal(response, 400, /cannot be applied (at|anywhere in).*this response/)
    expect(response.headers.get('x-sim-damage')).toBeNull()
  }
})

describe('drift also acts on refusals', () => {
  test.each([
    ['drop-field, forbidden', 403, 'required'],
    ['null-required, not-found', 404, 'type'],
    ['wrong-type, rate-limited;retry-after=2', 429, 'type'],
    ['server-error, extra-field', 500, 'unevaluatedProperties'],
  ] as const)('caused by a scenario: %s', async (scenario, status, keyword) => {
    const response = await call(sim(), analyticsPath, { headers: { 'x-sim-scenario': scenario } })
    expect(response.status).toBe(status)
    const broken = findBrokenRules('getModelAnalytics', status, response.body, { isStrict: true })
    expect(broken.map((one) => one.keyword)).toEqual([keyword])
  })

  test('caused by the request itself', async () => {
    const response = await call(sim(), '/v1/events', { body: {}, headers: { 'x-sim-scenario': 'drop-field' } })
    expect(response.status).toBe(400)
    expect(findBrokenRules('createEvent', 400, response.body)).toHaveLength(1)
  })
})

test.each(operations)('an undamaged $id response is valid even if unknown fields are forbidden', async (operation) => {
  const response = await callOperation(sim(), operation)
  expect(findBrokenRules(operation.id, response.status, response.body, { isStrict: true })).toEqual([])
  expect(response.headers.get('x-sim-damage')).toBeNull()
})
