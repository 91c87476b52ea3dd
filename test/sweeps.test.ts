import { describe, expect, test } from 'vitest'
import { isObject } from '../src/base/core/json.ts'
import type { Effect } from '../src/service/scenarios/definition.ts'
import { probability, type ScenarioDefinition } from '../src/service/scenarios/definition.ts'
import type { Parameter } from '../src/service/scenarios/parameters.ts'
import { parseScenarios } from '../src/service/scenarios/parse.ts'
import { allOperations } from './support/all-operations.ts'
import { inputs, operationOf } from './support/catalogue.ts'
import {
  call,
  callOperation,
  errorOf,
  expectRefusal,
  type OperationRequest,
  objectOf,
  readStateInfo,
} from './support/client.ts'
import { callControl } from './support/control.ts'
import { controlOperations } from './support/control-operations.ts'
import { describeViolations, findBrokenRules } from './support/documented.ts'
import { sharedSimulator } from './support/shared.ts'

const sim = sharedSimulator()

const { catalogue } = inputs

/** Values for the optional parameters that the tests set. A small `ms` keeps delays short. */
const extraValues: Readonly<Record<string, string>> = { ms: '5' }

/** Returns the text that applies a scenario, with the parameters that are required or in `extraValues`. */
function textFor({ name, parameters }: ScenarioDefinition): string {
  const selected = parameters.filter((one) => one.required || one.name in extraValues)
  return [name, ...selected.map((one) => `${one.name}=${extraValues[one.name] ?? one.example}`)].join(';')
}

function parseScenario(text: string) {
  const parsed = parseScenarios(text, catalogue)
  const active = parsed.ok ? parsed.value[0] : undefined
  if (!active) throw new Error(`cannot parse "${text}"`)
  return active
}

const entries = [...catalogue.definitions, ...catalogue.statuses]

const pairs = entries.flatMap((entry) =>
  allOperations.map((operation) => {
    const text = textFor(entry)
    const { values } = parseScenario(text)
    const reason = entry.inapplicableReason?.(operationOf(operation.id), values)
    return { text, entry, operation, reason, applies: reason === undefined, effect: entry.effect(values) }
  }),
)

/** Returns what a client gets with a scenario: the status if one arrived, and the body or the error from `fetch`. */
async function observeDelivery(operation: OperationRequest, scenario: string) {
  const { method, path, body } = operation
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json', 'x-sim-scenario': scenario }
  let status: number | undefined
  try {
    const response = await fetch(sim().origin + path, {
      method,
      headers,
      signal: AbortSignal.timeout(scenario === 'hang' ? 200 : 15_000),
      ...(body && { body: JSON.stringify(body) }),
    })
    status = response.status
    return { status, text: await response.text() }
  } catch (error) {
    return { status, failure: String(error instanceof Error ? (error.cause ?? error.name) : error) }
  }
}

type DeliveryKind = Extract<Effect, { kind: 'deliver' }>['mode']['kind']

/** Checks what a client gets in each delivery mode. Omitting a mode is a compile error. */
const deliveryChecks: Record<
  DeliveryKind,
  (seen: Awaited<ReturnType<typeof observeDelivery>>, success: number) => void
> = {
  whole: (seen, success) => expect(seen).toEqual({ status: success, text: expect.stringMatching(/^\{.*\}$/s) }),
  dribble: (seen, success) => expect(seen).toEqual({ status: success, text: expect.stringMatching(/^\{.*\}$/s) }),
  hang: (seen) => expect(seen).toEqual({ status: undefined, failure: 'TimeoutError' }),
  reset: (seen) => expect(seen).toEqual({ status: undefined, failure: expect.stringMatching(/ECONNRESET/) }),
  empty: (seen) => expect(seen).toEqual({ status: undefined, failure: expect.stringMatching(/other side closed/) }),
  truncated: (seen, success) =>
    expect(seen).toEqual({ status: success, failure: expect.stringMatching(/other side closed/) }),
  malformed: (seen, success) => expect(seen).toEqual({ status: success, text: expect.stringMatching(/^\{.*[^}]$/s) }),
}

type EffectCheck = (operation: OperationRequest, text: string, effect: Effect) => Promise<unknown>

/** Checks each kind of effect as a client sees it. Omitting a kind is a compile error. */
const effectChecks: Record<Effect['kind'], EffectCheck> = {
  ordinary: expectSuccess,
  async response(operation, text) {
    const before = await readStateInfo(sim())
    const response = await callWithScenario(operation, text)
    expect(response.status).toBeGreaterThanOrEqual(400)
    const isListed = operationOf(operation.id).statuses.includes(response.status)
    expect(response.headers.get('x-sim-damage')).toBe(isListed ? null : 'undocumented status')
    if (isListed) expect(describeViolations(operation.id, response.status, response.body)).toEqual([])
    errorOf(response)
    expect(response.headers.get('x-sim-origin')).toBe('scenario')
    expect(await readStateInfo(sim())).toEqual(before)
  },
  async 'sample-out'(operation, text) {
    const response = await expectSuccess(operation, text)
    const { eventId } = objectOf(response)
    const { events } = await callControl(sim(), 'GET', '/events?sampledOut=true')
    expect(events).toContainEqual(expect.objectContaining({ eventId, sampledOut: true }))
  },
  async gateway(operation, text) {
    const before = await readStateInfo(sim())
    const response = await callWithScenario(operation, text)
    expect(response.headers.get('x-sim-origin')).toBe('gateway')
    expect([response.body, response.headers.get('x-sim-damage')]).toEqual([undefined, null])
    expect(await readStateInfo(sim())).toEqual(before)
  },
  async data(operation, text) {
    const response = await expectSuccess(operation, text)
    expect(response.headers.get('x-sim-origin')).toBe('contract')
  },
  async delay(operation, text) {
    const started = performance.now()
    await expectSuccess(operation, text)
    expect(performance.now() - started).toBeGreaterThan(Number(extraValues['ms']) - 2)
  },
  async drift(operation, text) {
    const response = await callWithScenario(operation, text)
    expect(response.status).toBe(operation.success)
    expect(response.headers.get('x-sim-damage')).toMatch(new RegExp(`^${text} at /`))
    expect(findBrokenRules(operation.id, response.status, response.body, { isStrict: true })).toHaveLength(1)
  },
  async deliver(operation, text, effect) {
    if (effect.kind !== 'deliver') throw new Error('not a delivery effect')
    deliveryChecks[effect.mode.kind](await observeDelivery(operation, text), operation.success)
  },
  expect: expectSuccess,
  async 'lose-ack'(operation, text) {
    const count = async () => {
      const state = await readStateInfo(sim())
      return isObject(state) ? Number(state['events']) + Number(state['prompts']) : Number.NaN
    }
    const counts = [await count()]
    await callOperation(sim(), operation)
    counts.push(await count())
    deliveryChecks.reset(await observeDelivery(operation, text), operation.success)
    const [before = 0, between = 0] = counts
    expect((await count()) - between, 'records stored, compared with an ordinary request').toBe(between - before)
  },
}

async function callWithScenario(operation: OperationRequest, text: string) {
  const response = await callOperation(sim(), operation, { headers: { 'x-sim-scenario': text } })
  expect(response.headers.get('x-sim-scenario')).toBe(text)
  return response
}

async function expectSuccess(operation: OperationRequest, text: string) {
  const response = await callWithScenario(operation, text)
  expect(response.status).toBe(operation.success)
  expect(describeViolations(operation.id, response.status, response.body)).toEqual([])
  return response
}

describe('every catalogue entry', () => {
  test.each(pairs.filter(({ applies }) => applies))('has its declared effect: $text on $operation.id', async (pair) => {
    await effectChecks[pair.effect.kind](pair.operation, pair.text, pair.effect)
  })

  test.each(pairs.filter(({ applies }) => !applies))(
    'is refused with a reason if it does not apply, and leaves the state unchanged: $text on $operation.id',
    async ({ text, operation, reason = '' }) => {
      const before = await readStateInfo(sim())
      const response = await callOperation(sim(), operation, { headers: { 'x-sim-scenario': text } })
      expectRefusal(response, 400, /does not apply here/, text, reason)
      expect(response.headers.get('x-sim-origin')).toBe('simulator')
      expect(await readStateInfo(sim())).toEqual(before)
    },
  )

  test('applies to at least one operation, and its descriptions start with a capital and end with a period', () => {
    for (const entry of entries) {
      expect([entry.name, pairs.some((one) => one.entry === entry && one.applies)]).toEqual([entry.name, true])
      for (const { description } of [entry, ...entry.parameters]) expect(description).toMatch(/^[A-Z].*\.$/)
    }
  })

  test('has a unique name that needs no quotes', () => {
    const names = entries.map(({ name }) => name)
    expect(names.filter((name) => !/^[a-z0-9][a-z0-9_-]*$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test('is listed by the control plane with its parameters (including p), unless it is a status', async () => {
    const { scenarios } = await callControl(sim(), 'GET', '/catalogue')
    expect(scenarios).toMatchObject(
      catalogue.definitions.map((entry) => ({
        name: entry.name,
        family: entry.family,
        parameters: [...entry.parameters, probability].map(({ name }) => ({ name })),
        operations: pairs.flatMap((one) => (one.entry === entry && one.applies ? one.operation.id : [])),
      })),
    )
  })
})

const parameters = entries.flatMap((entry) =>
  [...entry.parameters, probability].map((parameter) => ({ entry, parameter })),
)

function invalidValues(parameter: Parameter): string[] {
  switch (parameter.type) {
    case 'integer':
      return [`${parameter.minimum - 1}`, `${parameter.maximum + 1}`, '1.5', 'x', '', ' ', '0x10z', 'NaN', '1e999']
    case 'number':
      return [String(parameter.minimum - 0.001), String(parameter.maximum + 0.001), 'x', '', 'Infinity']
    case 'choice':
      return ['nonsense', '', parameter.of[0]?.toUpperCase() ?? '']
    case 'names':
      return ['', '|', 'nonsense', '__proto__']
    case 'text':
      return ['']
  }
}

/** Returns valid values for a parameter: the limits and default of a number, each choice, or an example. */
function validValues(parameter: Parameter): string[] {
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return [parameter.minimum, parameter.maximum, parameter.default ?? parameter.minimum].map(String)
    case 'choice':
      return [...parameter.of]
    case 'names':
      return [parameter.example ?? '']
    case 'text':
      return [parameter.example ?? '/dataPoints']
  }
}

describe('every parameter', () => {
  const texts = (listValues: (parameter: Parameter) => string[]) =>
    parameters.flatMap(({ entry, parameter }) =>
      listValues(parameter).map((value) => {
        const others = entry.parameters.filter((one) => one.required && one.name !== parameter.name)
        const required = others.map(({ name, example }) => [name, example])
        const assignments = [...required, [parameter.name, `"${value}"`]].map((pair) => pair.join('='))
        return { text: [entry.name, ...assignments].join(';'), name: parameter.name }
      }),
    )

  test('accepts valid values, including its limits', () => {
    for (const { text } of texts(validValues)) expect([text, parseScenarios(text, catalogue).ok]).toEqual([text, true])
  })

  test('refuses invalid values with an error that states the reason', () => {
    for (const { text, name } of texts(invalidValues)) {
      const parsed = parseScenarios(text, catalogue)
      expect([text, parsed.ok ? 'accepted' : parsed.error]).toEqual([
        text,
        expect.stringMatching(new RegExp(`expects "${name}" to be|does not apply to the field`)),
      ])
    }
  })
})

describe('invalid and cross-origin control-plane requests', async () => {
  test.each(await controlOperations())('are refused: $method $path', async ({ id, path, method }) => {
    const concretePath = path.replace(/\{\w+\}/g, '-')
    const invalid = id === 'getHealth' ? undefined : await call(sim(), `/__sim${concretePath}?sandbox=-`, { method })
    const crossOrigin = await call(sim(), `/__sim${concretePath}`, {
      method,
      headers: { origin: 'https://example.com' },
    })
    const refused = [invalid, crossOrigin].filter((response) => response !== undefined)
    for (const response of refused) errorOf(response)
    expect(refused.map(({ status }) => status)).toEqual(id === 'getHealth' ? [403] : [400, 403])
  })
})
