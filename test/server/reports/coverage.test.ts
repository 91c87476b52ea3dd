import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject } from '../../../src/base/core/json.ts'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { OperationItems } from '../../../src/server/reports/coverage-items.ts'
import { inputs } from '../../support/catalogue.ts'
import { analyticsPath, call, callOperation, event, operations, prompt } from '../../support/client.ts'
import { callControl } from '../../support/control.ts'
import { documentWithPaths } from '../../support/documents.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { readControl } from '../../support/stored-records.ts'

const sim = sharedSimulator()

async function coverageOf(target: TestSimulator, sandbox: string) {
  const view = await readControl<ControlSchemas['Coverage']>(target, `/coverage?sandbox=${sandbox}`)
  const operationCoverage = (id: string) => {
    const found = view.operations.find(({ operation }) => operation === id)
    if (!found) throw new Error(`no operation ${id}`)
    return found
  }
  return { view, operationCoverage }
}

const allItems = inputs.contract.operations.map((operation) => new OperationItems(operation))

describe('the missing items', () => {
  test('include every item before the first request, and are all reachable in the bundled document', async () => {
    const { view } = await coverageOf(sim(), 'untouched')
    const counts = allItems.map(({ operation, items }) => [operation.id, items.size])
    expect(view.operations.map(({ operation, missing }) => [operation, missing.length])).toEqual(counts)
    expect(view.operations.flatMap(({ outOfReach }) => outOfReach)).toEqual([])
    expect(view).toMatchObject({ met: 0, percent: 0 })
  })

  test('have descriptions with hints', async () => {
    const { operationCoverage } = await coverageOf(sim(), 'untouched')
    const sentences = operationCoverage('getModelAnalytics').missing.map(({ sentence }) => sentence)
    for (const sentence of [
      'No test has seen recommendations: null; send X-Sim-Scenario: empty to get it.',
      'No test has seen 429; send X-Sim-Scenario: rate-limited to get it.',
      'No test has seen 200; send any valid request to get it.',
      'No test has sent query period=7d; send it in a valid request.',
    ])
      expect(sentences).toContain(sentence)
  })
})

describe('an exchange covers', () => {
  test('the status and null values of a successful response, and the parameters of the request', async () => {
    await call(sim(), `${analyticsPath}?period=7d`, { sandbox: 'good', scenario: 'empty' })
    const { covered, requests } = (await coverageOf(sim(), 'good')).operationCoverage('getModelAnalytics')
    expect(requests).toBe(1)
    for (const name of ['200', 'path modelId', 'query period', 'query period=7d', 'recommendations: null'])
      expect(covered).toContain(name)
    expect(covered.filter((name) => name.endsWith('not null'))).toEqual([])
  })

  const damagingScenarios = ['drop-field', 'wrong-type', 'truncated', 'malformed-json', 'reset;when=after']

  test.each<[string, unknown]>([
    ...[...damagingScenarios, 'empty-response;when=after'].map((name): [string, unknown] => [name, ['path modelId']]),
    ['no-such-scenario', []],
    ['dribble;ms=5', expect.arrayContaining(['200'])],
  ])('its response, unless the response is damaged or is a refusal by the simulator: %s', async (scenario, items) => {
    const sandbox = scenario.replace(/\W/g, '-')
    await call(sim(), analyticsPath, { sandbox, scenario }).catch(() => undefined)
    const { covered, requests } = (await coverageOf(sim(), sandbox)).operationCoverage('getModelAnalytics')
    expect([covered, requests]).toEqual([items, 1])
  })

  test('the status of a documented refusal, but not the parameters or body of the refused request', async () => {
    await call(sim(), `${analyticsPath}?period=14d`, { sandbox: 'refused' })
    await call(sim(), '/v1/events', { body: event({ value: 1 }), sandbox: 'refused' })
    const { operationCoverage } = await coverageOf(sim(), 'refused')
    expect(operationCoverage('getModelAnalytics').covered).toEqual(['400'])
    expect(operationCoverage('createEvent').covered).toEqual(['400'])
  })

  test('the fields of a request body and their enum values, at any depth', async () => {
    const body = prompt({ components: [{ content: 'a' }, { content: 'b', source: 'agent' }], tags: [] })
    await call(sim(), '/v1/prompts', { body, sandbox: 'fields' })
    const components = ['components', 'components.content', 'components.source', 'components.source: agent']
    const fields = ['name', ...components, 'tags'].map((field) => `body ${field}`)
    expect((await coverageOf(sim(), 'fields')).operationCoverage('createPrompt').covered).toEqual(['201', ...fields])
  })
})

describe('sandboxes', () => {
  const send = (target: TestSimulator, sandbox: string, scenario: string) =>
    callOperation(target, operations[1], { sandbox, scenario })
  const statusesIn = async (target: TestSimulator, sandbox: string) =>
    (await coverageOf(target, sandbox)).operationCoverage('createPrompt').covered.filter((name) => /^\d/.test(name))

  test('are reported separately or together', async () => {
    const target = await startForTest()
    await send(target, 'a', 'forbidden')
    await send(target, 'b', 'not-found')
    expect(await statusesIn(target, 'a')).toEqual(['403'])
    expect(await statusesIn(target, 'b')).toEqual(['404'])
    expect(await statusesIn(target, '*')).toEqual(['403', '404'])
  })

  test.each([
    ['POST', '/reset?sandbox=a'],
    ['DELETE', '/sandboxes/a'],
    ['DELETE', '/requests?sandbox=a'],
  ])('have no coverage after %s %s, but their earlier requests still count toward the total', async (method, path) => {
    const target = await startForTest()
    await send(target, 'a', 'forbidden')
    await callControl(target, method, path)
    expect(await statusesIn(target, 'a')).toEqual([])
    await send(target, 'a', 'not-found')
    expect(await statusesIn(target, 'a')).toEqual(['404'])
    expect(await statusesIn(target, '*')).toEqual(['403', '404'])
  })

  test('still count toward the total after they are evicted', async () => {
    const target = await startForTest({ sandboxLimit: 2 })
    await send(target, 'a', 'forbidden')
    await send(target, 'b', 'not-found')
    await send(target, 'c', '429')
    expect(await statusesIn(target, '*')).toEqual(['403', '404', '429'])
    expect(await callControl(target, 'GET', '/report?sandbox=*')).toMatchObject({ sandbox: '*', requests: 3 })
  })

  test('keep their coverage when the journal evicts their requests', async () => {
    const target = await startForTest({ journalSize: 1 })
    await send(target, 'a', 'forbidden')
    await send(target, 'a', 'not-found')
    expect(await statusesIn(target, 'a')).toEqual(['403', '404'])
  })
})

const paths: JsonObject = parse(`
/reports/{scope}:
  get:
    operationId: listReports
    parameters:
      - { name: scope, in: path, required: true, schema: { type: string, enum: [own, all] } }
      - { name: fields, in: query, explode: false, schema: { type: array, items: { enum: [id, size] } } }
      - { name: X-Tenant, in: header, schema: { type: string } }
    responses:
      '200':
        description: Reports.
        content:
          application/json:
            schema:
              type: object
              additionalProperties:
                type: object
                properties:
                  owner:
                    oneOf:
                      - { type: 'null' }
                      - { type: object, properties: { kind: { const: a } } }
                      - { type: object, properties: { kind: { const: b } } }
                  size: { anyOf: [{ type: integer }, { type: 'null' }] }
            examples:
              one: { value: { q1: { owner: { kind: a }, size: null } } }
              two: { value: { q1: { owner: null, size: 7 } } }
`)

test('a user-defined operation has coverage items for its schemas, with its examples as hints', {
  tags: ['long'],
}, async () => {
  const target = await startForTest({ contract: await documentWithPaths(paths) })
  const { missing, outOfReach } = (await coverageOf(target, 'default')).operationCoverage('listReports')
  expect(missing.map(({ name, headers }) => [name, headers?.['Prefer']])).toEqual([
    ['200', undefined],
    ['path scope', undefined],
    ['path scope=own', undefined],
    ['path scope=all', undefined],
    ['query fields', undefined],
    ['query fields=id', undefined],
    ['query fields=size', undefined],
    ['header x-tenant', undefined],
    ['owner: null', 'code=200, example=two'],
    ['owner: not null', 'code=200, example=one'],
    ['owner.kind: a', 'code=200, example=one'],
    ['size: null', 'code=200, example=one'],
    ['size: not null', 'code=200, example=two'],
  ])
  // No example or scenario contains this value.
  expect(outOfReach).toEqual(['owner.kind: b'])
})

test('the percentage is rounded down to one decimal place', async () => {
  await callOperation(sim(), operations[2], { sandbox: 'share' })
  const { met, points, percent } = (await coverageOf(sim(), 'share')).operationCoverage('createEvent')
  expect(percent).toBe(Math.floor((met / points) * 1000) / 10)
})

test('a report contains the same coverage as GET /coverage', async () => {
  await callOperation(sim(), operations[2], { sandbox: 'both' })
  const { sandbox, ...coverage } = await callControl(sim(), 'GET', '/coverage?sandbox=both')
  expect(sandbox).toBe('both')
  expect((await callControl(sim(), 'GET', '/report?sandbox=both'))['coverage']).toEqual(coverage)
})
