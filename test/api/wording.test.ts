import { describe, expect, test } from 'vitest'
import { isObject, type Json } from '../../src/base/core/json.ts'
import { joinPointer, valueAt } from '../../src/base/core/json-pointer.ts'
import { allOperations } from '../support/all-operations.ts'
import { inputs, operationOf } from '../support/catalogue.ts'
import {
  analyticsPath,
  call,
  callOperation,
  event,
  modelId,
  prompt,
  type RequestOptions,
  refusalStatuses,
  type TestResponse,
} from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import type { TestSimulator } from '../support/start.ts'

const open = sharedSimulator()
const limited = sharedSimulator({ models: 'closed', maxAnalysesPerHour: 60 })

/** The model in the document's example for a 404. It is also a magic model: requests for it always get a 404. */
const unknownModel = '00000000-0000-4000-8000-000000000404'

const refusedBodies: Readonly<Record<string, Json>> = {
  no_components: prompt({ components: [] }),
  several_violations: { components: [{ content: 'Hello' }], role: '' },
  number_as_value: event({ value: 149 }),
  impact_out_of_range: event({ qualityImpactScore: 1.5 }),
  broken_json: '{',
  too_large: prompt({ description: 'x'.repeat(2 ** 21) }),
}

/** Requests that are refused without a scenario, by the name of the refusal's example in the document. */
const refusedRequests: Readonly<Record<string, RequestOptions & { readonly path?: string }>> = {
  invalid_period: { path: `${analyticsPath}?period=14d` },
  invalid_model_id: { path: '/v1/models/gpt/analytics' },
  plan_too_low: { token: 'key_free' },
  no_token: { token: null },
  plain_text: { contentType: 'text/plain' },
  ...Object.fromEntries(Object.entries(refusedBodies).map(([name, body]) => [name, { body }])),
}

const scenarioOnly = ['unknown_token', 'forbidden', 'product_not_found', 'rate_limited', 'server_error', 'unavailable']

const refusals = allOperations.flatMap((operation) =>
  operationOf(operation.id).statuses.flatMap((status) => (status < 400 ? [] : [{ operation, status }])),
)

const examples = refusals.flatMap(({ operation, status }) =>
  operationOf(operation.id)
    .examples(status)
    .map((example) => ({ operation, status, ...example })),
)

describe('a refusal without a scenario is identical to the documented example', () => {
  const cases = examples.filter(({ name }) => name in refusedRequests)

  test.each(cases)('$operation.id $status $name', async ({ operation, status, name, value }) => {
    const { path = operation.path, ...options } = refusedRequests[name] ?? {}
    const response = await callOperation(open(), { ...operation, path }, options)
    expect([response.status, response.body]).toEqual([status, value])
    expect(response.headers.get('x-sim-origin')).toBe('contract')
    expectDocumentedHeaders(response, operation.id)
  })

  test('getModelAnalytics 404 model_not_found', async () => {
    const path = `/v1/models/${unknownModel}/analytics`.replace('404/', '405/') // not a magic model
    const { status, text } = await call(limited(), path)
    const example = JSON.stringify(exampleOf('model_not_found'))
    expect([status, text.replace('405 ', '404 ')]).toEqual([404, example])
  })

  test('getModelAnalytics 429 hourly_limit', async () => {
    const response = await exceedHourlyLimit(limited())
    expect([response.status, response.body]).toEqual([429, exampleOf('hourly_limit')])
    expectDocumentedHeaders(response, 'getModelAnalytics')
  })

  test('every example is tested, except those that only a scenario can produce', () => {
    const others = new Set(examples.map(({ name }) => name).filter((name) => !(name in refusedRequests)))
    expect([...others].sort()).toEqual([...scenarioOnly, 'model_not_found', 'hourly_limit'].sort())
  })
})

test.each(refusals)('scenario $status on $operation.id returns a documented example', async ({ operation, status }) => {
  const documented = operationOf(operation.id).examples(status)
  const names = Object.keys(refusalStatuses).filter((name) => refusalStatuses[name] === status)
  for (const scenario of [String(status), ...names]) {
    const response = await callOperation(open(), operation, { headers: { 'x-sim-scenario': scenario } })
    expect(response.status).toBe(status)
    const asIfUnknown = JSON.parse(response.text.replace(modelId, unknownModel))
    expect(documented.map(({ value }) => value)).toContainEqual(asIfUnknown)
    expectDocumentedHeaders(response, operation.id)
  }
})

const exampleOf = (name: string) => examples.find((example) => example.name === name)?.value

/** Uses up the hourly limit of 60 and sends another request one second before the window ends. */
async function exceedHourlyLimit(sim: TestSimulator): Promise<TestResponse> {
  const path = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'
  for (let count = 0; count < 60; count += 1) expect((await call(sim, path)).status).toBe(200)
  return call(sim, path, { headers: { 'x-sim-now': '2026-01-15T12:59:59Z' } })
}

/** Expects each header that the document describes for the status, with the header's example as its value. */
function expectDocumentedHeaders({ status, headers }: TestResponse, operationId: string): void {
  const { path, method } = operationOf(operationId)
  const pointer = joinPointer('/paths', path, method.toLowerCase(), 'responses', String(status))
  const documented = valueAt(resolve(valueAt(inputs.contract.document, pointer)), '/headers') ?? {}
  for (const [name, header] of Object.entries(documented))
    expect(headers.get(name), name).toBe(String(valueAt(resolve(header), '/example')))
}

/** Returns the value that a `$ref` in the document refers to, and any other value unchanged. */
function resolve(value: Json | undefined): Json | undefined {
  const ref = isObject(value) ? value['$ref'] : undefined
  return typeof ref === 'string' ? valueAt(inputs.contract.document, ref.slice(1)) : value
}
