import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { isObject, type Json } from '../../src/base/core/json.ts'
import { call as callSimulator, type RequestOptions, refusalStatuses, type TestResponse } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { listRequests } from '../support/stored-records.ts'
import { tempFile } from '../support/temp-folder.ts'

const problem = `
  type: object
  required: [type, title, status]
  properties:
    type: { type: string, format: uri }
    title: { type: string }
    status: { type: integer }
    detail: { type: string }
`
const nested = `
  type: object
  additionalProperties: false
  required: [error]
  properties:
    error:
      type: object
      required: [code, message]
      properties: { code: { type: integer }, message: { type: string }, field: { enum: [a, b] } }
`
const simple = '{ type: object, required: [error], properties: { error: { type: string } } }'

/** The documented responses of each operation, apart from its 200. */
const documented = {
  nothing: '{}',
  exact: `{ '404': ${json(problem, 'application/problem+json')}, '429': ${json(nested)}, '503': ${json(simple)} }`,
  range: `{ 4XX: ${json(problem, 'application/problem+json')}, 5XX: ${json(nested, 'application/vnd.acme+json')} }`,
  both: `{ '422': ${json(nested)}, 4XX: ${json(problem)}, default: ${json(simple)} }`,
  fallback: `{ default: ${json(nested)} }`,
  lenient: `{ default: ${json('{ type: object, properties: { reason: { enum: [late] } } }')} }`,
  list: `{ default: ${json('{ type: array, minItems: 1, items: { type: string } }')} }`,
  text: `
    4XX: { description: No., content: { text/plain: { example: No thanks. } } }
    5XX: { description: Down., content: { text/html: { example: <h1>Down</h1> } } }`,
} as const

type Name = keyof typeof documented

function json(schema: string, type = 'application/json'): string {
  return JSON.stringify({ description: 'No.', content: { [type]: { schema: parse(schema) } } })
}

const success = { description: 'Done.', content: { 'application/json': { example: { done: true } } } }

const document = stringify({
  openapi: '3.1.0',
  info: { title: 'Refusals', version: '1' },
  servers: [{ url: '/v1' }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  paths: Object.fromEntries(
    Object.entries(documented).map(([name, responses]) => [
      `/${name}`,
      {
        post: {
          operationId: name,
          security: [{ bearer: [] }],
          requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
          responses: { 200: success, ...parse(responses) },
        },
      },
    ]),
  ),
})

const sim = sharedSimulator(async (onFinished) => ({
  contract: await tempFile(document, 'refusals.yaml', onFinished),
  xRateLimit: 'seconds',
}))

const call = (name: Name, options: RequestOptions) =>
  callSimulator(sim(), `/v1/${name}`, { method: 'POST', ...options })

/** Returns the status, the media type and the body of a response. */
function summarize({ status, headers, text }: TestResponse): [number, string, Json] {
  const type = headers.get('content-type')?.replace('; charset=utf-8', '') ?? ''
  return [status, type, type.endsWith('json') ? JSON.parse(text) : text]
}

const simulatorError = (error = expect.any(String)) => ({ success: false, error })
const problemOf = (status: number) => ({ type: expect.any(String), title: expect.any(String), status })
const nestedOf = (code: number, message = expect.any(String)) => ({ error: expect.objectContaining({ code, message }) })
const [plainJson, problemJson] = ['application/json', 'application/problem+json']

type Expected = readonly [status: number, type: string, body: unknown]

const unavailable = 'The service is temporarily unavailable. Retry later.'

const table: readonly [Name, string, Expected][] = [
  ['nothing', 'unavailable', [503, plainJson, simulatorError(unavailable)]],
  ['nothing', 'bad-request', [400, plainJson, simulatorError()]],
  ['nothing', '418', [418, plainJson, simulatorError('Status 418.')]],
  ['exact', '404', [404, problemJson, expect.objectContaining(problemOf(404))]],
  ['exact', 'rate-limited', [429, plainJson, nestedOf(429, expect.stringMatching(/^Rate limit exceeded/))]],
  ['exact', 'unavailable', [503, plainJson, simulatorError(unavailable)]],
  ['exact', 'server-error', [500, plainJson, simulatorError()]],
  ['range', 'not-found', [404, problemJson, expect.objectContaining({ ...problemOf(404), detail: 'Not found.' })]],
  ['range', 'bad-request', [400, problemJson, expect.objectContaining(problemOf(400))]],
  ['range', '418', [418, problemJson, expect.objectContaining(problemOf(418))]],
  ['range', 'unavailable', [503, 'application/vnd.acme+json', nestedOf(503, unavailable)]],
  ['both', 'bad-request', [422, plainJson, nestedOf(422)]],
  ['both', '400', [400, plainJson, expect.objectContaining(problemOf(400))]],
  ['both', 'unavailable', [503, plainJson, simulatorError(unavailable)]],
  ['fallback', 'forbidden', [403, plainJson, nestedOf(403)]],
  ['fallback', 'unavailable', [503, plainJson, nestedOf(503, unavailable)]],
  ['lenient', 'unavailable', [503, plainJson, { reason: 'late' }]],
  ['list', 'unavailable', [503, plainJson, [expect.any(String)]]],
  ['text', 'not-found', [404, 'text/plain', 'No thanks.']],
  ['text', 'unavailable', [503, 'text/html', '<h1>Down</h1>']],
]

const isUndocumented = (name: Name, status: number) =>
  name === 'nothing' || (name === 'exact' && ![404, 429, 503].includes(status))

test.each(table)(
  'a refusal has the most specific documented format, or else the simulator’s own format: %s, %s',
  async (name, scenario, expected) => {
    const response = await call(name, { scenario })
    expect(summarize(response)).toEqual(expected)
    expect(response.headers.get('x-sim-origin')).toBe('scenario')
    if (response.status === 429) expect(response.headers.get('retry-after')).toBe('1')
    const damage = isUndocumented(name, response.status) ? 'undocumented status' : null
    expect(response.headers.get('x-sim-damage')).toBe(damage)
    const violations = damage === null ? [] : [{ in: 'response', keyword: 'status' }]
    expect((await listRequests(sim())).at(-1)?.responseViolations).toMatchObject(violations)
    const sandbox = `${name}-${scenario}`
    await putRules(sim(), [{ operation: name, scenario }], sandbox)
    expect(summarize(await call(name, { sandbox }))).toEqual(expected)
  },
)

test('the refusal of an undocumented code in Prefer names the documented statuses and ranges', async () => {
  const response = await call('range', { headers: { prefer: 'code=202' } })
  const error =
    'The code in "Prefer: code=202" must be a status from 200 to 599 in the responses of range: 200, 4XX, 5XX.'
  expect(summarize(response)).toEqual([400, plainJson, simulatorError(error)])
})

test.each<[Name, RequestOptions, Expected]>([
  ['nothing', { token: null }, [401, plainJson, simulatorError()]],
  ['range', { token: null }, [401, problemJson, expect.objectContaining(problemOf(401))]],
  ['both', { body: [] }, [422, plainJson, nestedOf(422, expect.stringMatching(/^Invalid request: body: must be/))]],
  ['fallback', { body: '{', contentType: 'text/x' }, [415, plainJson, nestedOf(415, expect.stringMatching(/text\/x/))]],
  ['text', { body: '{' }, [400, 'text/plain', 'No thanks.']],
])('client errors have the documented format, or else the simulator’s own: %s, %j', async (name, options, expected) => {
  const response = await call(name, options)
  expect(summarize(response)).toEqual(expected)
  expect(response.headers.get('x-sim-origin')).toBe('contract')
  expect(response.headers.has('x-sim-damage')).toBe(false)
})

test('the catalogue names the operations for which a refusal is undocumented', async () => {
  const { scenarios } = (await callControl(sim(), 'GET', '/catalogue')) as { scenarios: Json[] }
  const refusals = scenarios.filter(isObject).filter(({ family }) => family === 'refusals')
  const names = Object.keys(documented) as Name[]
  expect(refusals).toMatchObject(
    Object.entries(refusalStatuses).map(([name, status]) => {
      return { name, operations: names, undocumented: names.filter((one) => isUndocumented(one, status)) }
    }),
  )
})
