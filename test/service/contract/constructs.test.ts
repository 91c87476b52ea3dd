import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../../src/base/core/json.ts'
import { joinPointer, parsePointer } from '../../../src/base/core/json-pointer.ts'
import { silentLog } from '../../../src/base/core/log.ts'
import { reasonOf } from '../../../src/base/core/result.ts'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import { defaultSettings } from '../../../src/server/settings/settings.ts'
import { resolve } from '../../../src/service/contract/resolve.ts'
import { call, refusalStatuses } from '../../support/client.ts'
import { CompiledDocument } from '../../support/compiled-document.ts'
import { runInProcess } from '../../support/run-tool.ts'
import { start } from '../../support/start.ts'
import { readControl } from '../../support/stored-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A document with one construct, and the requests that show whether the simulator handles the construct. */
interface Construct {
  /** The OpenAPI document, as an object or as text. */
  readonly document: JsonObject | string
  /** The document's path in a temporary folder. @default openapi.yaml */
  readonly name?: string
  /** Other files in the folder, by path. */
  readonly files?: Readonly<Record<string, JsonObject | string>>
  /** Text that the errors must contain. Set only if the document must be refused. */
  readonly refused?: string
  /** The expected number of warnings, or strings that the warnings must contain. @default 0 */
  readonly warnings?: number | readonly string[]
  readonly requests?: readonly ConstructRequest[]
}

interface ConstructRequest {
  /** The method and path, such as `GET /v1/things?limit=1`. */
  readonly send: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: Json
  /** The content type of the body; null to send none. @default application/json */
  readonly type?: string | null
  /** The expected status of the response. */
  readonly status: number
  /** The expected operation ID. */
  readonly operation?: string
  /** An object with members that the response body must have, or any other value that the whole body must equal. */
  readonly has?: Json
  /** The name of the schema in `components` that the response body must match. */
  readonly valid?: string
  /** The expected media type of the response, or an empty string if no body is expected. */
  readonly media?: string
  /** Regular expressions that the response headers must match, by header name. */
  readonly sent?: Readonly<Record<string, string>>
  /** Text that the response body or the header `X-Sim-Violations` must contain. */
  readonly says?: string
  /** Text that neither the response body nor the header `X-Sim-Violations` may contain. */
  readonly lacks?: string
}

type Response = Awaited<ReturnType<typeof send>>

const folder = join(import.meta.dirname, 'constructs')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'))
const refusals = Object.entries(refusalStatuses)

test.each(files.sort())('the construct in %s is handled as the file specifies', async (file) => {
  const failures = await tryConstruct(parse(readFileSync(join(folder, file), 'utf8')))
  if (failures.length > 0) throw new Error(`${file}\n${failures.join('\n')}`)
})

/** Describes a failed assertion with the complete values, which vitest would shorten. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error) || !('actual' in error && 'expected' in error)) return reasonOf(error)
  return `expected ${JSON.stringify(error.expected)}\ngot ${JSON.stringify(error.actual)}`
}

/** Tests a construct in steps, and describes the steps that failed. */
async function tryConstruct({ requests = [], ...construct }: Construct): Promise<string[]> {
  const failures: string[] = []
  const run = async (step: string, work: () => Promise<void>) => {
    const problem = await work().then(() => undefined, describeFailure)
    if (problem !== undefined) failures.push(`failed: ${step}\n${problem}`)
    return problem === undefined
  }
  const contract = await writeDocument(construct)
  await run('check', () => check(contract, construct))
  let origin = ''
  const isStarted = await run('start', async () => {
    const settings = { ...defaultSettings(), contract, port: 0, state: ':memory:' }
    const started = await start(settings, { now: Date.now, log: silentLog })
    if (started.ok) onTestFinished(() => started.value.close())
    const errors = started.ok ? [] : started.error.map(({ message }) => message)
    if (construct.refused !== undefined) expect(errors.join('\n')).toContain(construct.refused)
    else expect(errors).toEqual([])
    if (started.ok) origin = started.value.origin
  })
  if (!isStarted || origin === '') return failures
  const initialCoverage = await readCoverage(origin)
  const accepted = new Map<string, ConstructRequest>()
  for (const [index, request] of requests.entries()) {
    await run(`request ${index + 1}, ${request.send}`, async () => {
      const response = await send(origin, request)
      expectResponse(response, request, construct)
      const { operation, isAccepted } = response
      if (isAccepted && !accepted.has(operation)) accepted.set(operation, request)
    })
  }
  await run('refusal scenarios', async () => {
    for (const request of accepted.values())
      for (const [scenario, status] of refusals)
        expectFailure(await send(origin, request, { 'x-sim-scenario': scenario }), status, construct)
  })
  await run('coverage', async () => {
    for (const [operation, request] of accepted)
      for (const suggestion of (await readCoverage(origin)).missingOf(operation))
        await send(origin, applySuggestion(request, suggestion), suggestion.headers)
    const { points, percent, missing } = await readCoverage(origin)
    expect({ points, percent, missing }).toEqual({ points: initialCoverage.points, percent: 100, missing: [] })
  })
  return failures
}

/** Writes the files of a construct, and returns the path of the document. */
async function writeDocument({ document, name = 'openapi.yaml', files = {} }: Construct): Promise<string> {
  const root = await tempFolder()
  for (const [path, content] of [...Object.entries(files), [name, document] as const]) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, null, 1))
  }
  return join(root, name)
}

async function check(file: string, { refused, warnings = 0 }: Construct): Promise<void> {
  const { code, stdout } = await runInProcess(['check', file, '--format', 'json'])
  const findings: { severity: string; message: string; line?: number }[] = JSON.parse(stdout).files[0].findings
  const messagesOf = (severity: string) => findings.flatMap((one) => (one.severity === severity ? one.message : []))
  const errors = messagesOf('error')
  expect({ code, errors }).toEqual({ code: refused === undefined ? 0 : 1, errors: refused === undefined ? [] : errors })
  if (refused !== undefined) expect(errors.join('\n')).toContain(refused)
  expect(findings.slice(0, errors.length).map(({ severity }) => severity)).toEqual(errors.map(() => 'error'))
  expect(findings.filter(({ line }) => line === undefined)).toEqual([])
  expect(stdout).not.toMatch(/strict mode|\bajv\b|\\n +at /)
  const warningMessages = messagesOf('warning')
  if (typeof warnings === 'number') expect(refused === undefined ? warningMessages : []).toHaveLength(warnings)
  else for (const words of warnings) expect(warningMessages.join('\n').toLowerCase()).toContain(words.toLowerCase())
}

async function send(origin: string, { send, body, type = 'application/json', ...rest }: ConstructRequest, more = {}) {
  const [method = '', path = ''] = send.split(' ')
  const headers = { ...rest.headers, ...more }
  const sent = { method, headers, contentType: type, token: null, may500: true }
  const response = await call({ origin }, path, body === undefined ? sent : { ...sent, body })
  const header = (name: string) => response.headers.get(name) ?? ''
  const media = header('content-type').split(';')[0] ?? ''
  const violations = header('x-sim-violations')
  const isHandled = response.status !== 401 && header('x-sim-origin') === 'contract' && header('x-sim-operation') !== ''
  return {
    ...response,
    media,
    operation: header('x-sim-operation'),
    origin: header('x-sim-origin'),
    shown: response.text + violations,
    isAccepted: isHandled && violations === '',
    body: (/\bjson$/.test(media) && response.text !== '' ? JSON.parse(response.text) : response.text) as Json,
  }
}

function expectResponse(response: Response, request: ConstructRequest, construct: Construct): void {
  const { status, operation, has, valid, media, sent = {}, says, lacks } = request
  const { body, shown, headers } = response
  expect({ status: response.status, shown }).toEqual({ status, shown })
  if (operation !== undefined) expect(response.operation).toBe(operation)
  if (media !== undefined) expect(response.media).toBe(media)
  if (isObject(has)) expect(body).toMatchObject(has)
  else if (has !== undefined) expect(body).toEqual(has)
  if (valid !== undefined) expectValid(body, construct, `/components/schemas/${valid}`)
  for (const [name, pattern] of Object.entries(sent)) expect(headers.get(name) ?? '').toMatch(new RegExp(pattern))
  if (says !== undefined) expect(shown).toContain(says)
  if (lacks !== undefined) expect(shown).not.toContain(lacks)
}

/** Expects a body to match a schema in the document, which is compiled independently of the simulator. */
function expectValid(body: Json, { document }: Pick<Construct, 'document'>, pointer: string): void {
  const compiled = new CompiledDocument(isObject(document) ? document : parse(String(document)))
  const validate = compiled.validatorAt(pointer)
  expect(validate?.(body) ? [] : { body, errors: validate?.errors }).toEqual([])
}

/** Expects a failure caused by a scenario, with the documented body or, if none is documented, the default body. */
function expectFailure(response: Response, expected: number, { document }: Construct): void {
  const { operation, status, origin, media, body } = response
  const { responses, pointer } = findResponses(document, operation)
  const exact = (expected === 400 ? [400, 422] : [expected]).find((one) => responses[one] !== undefined)
  expect({ operation, status, origin, body }).toMatchObject({ status: exact ?? expected, origin: 'scenario' })
  const keys = [String(exact), `${Math.floor(expected / 100)}XX`, 'DEFAULT']
  const key = keys.flatMap((one) => Object.keys(responses).find((key) => key.toUpperCase() === one) ?? [])[0]
  if (pointer.endsWith('/head/responses')) expect(body).toBe('')
  else if (key !== undefined) expectDocumented(body, media, document as JsonObject, joinPointer(pointer, key))
  else if (pointer !== '') expect(body).toMatchObject({ success: false, error: expect.any(String) })
}

/** Expects a documented media type, and a body that matches its schema unless the media type has an example. */
function expectDocumented(body: Json, media: string, document: JsonObject, response: string): void {
  const { value, pointer } = resolve(document, response) ?? { value: {}, pointer: '' }
  const content = isObject(value.content) ? value.content : {}
  if (Object.keys(content).length > 0) expect(Object.keys(content)).toContain(media)
  const mediaType = content[media]
  if (isObject(mediaType) && 'schema' in mediaType && !('example' in mediaType || 'examples' in mediaType))
    expectValid(body, { document }, joinPointer(pointer, 'content', media, 'schema'))
}

/** Returns the responses that the document itself defines for an operation, and the JSON Pointer to them. */
function findResponses(document: Construct['document'], id: string) {
  const membersOf = (value: Json | undefined) => Object.entries(isObject(value) ? value : {})
  const paths = isObject(document) && 'openapi' in document ? membersOf(document.paths) : []
  const operations = paths.flatMap(([path, item]) =>
    membersOf(item).map(([method, value]) => {
      const { operationId = `${method.toUpperCase()} ${path}`, responses } = isObject(value) ? value : {}
      return { id: operationId, responses, pointer: joinPointer('/paths', path, method, 'responses') }
    }),
  )
  const { responses, pointer = '' } = operations.find((operation) => operation.id === id) ?? {}
  return { responses: isObject(responses) ? responses : {}, pointer }
}

async function readCoverage(origin: string) {
  const { points, percent, operations } = await readControl<ControlSchemas['Coverage']>({ origin }, '/coverage')
  const missing = operations.flatMap((one) => one.missing.map(({ sentence }) => `${one.operation}: ${sentence}`))
  const missingOf = (operation: string) => operations.find((one) => one.operation === operation)?.missing ?? []
  return { points, percent, missing, missingOf }
}

/** Applies a coverage suggestion (another path, parameter or body member) to a valid request. */
function applySuggestion(request: ConstructRequest, { point, path }: ControlSchemas['MissingPoint']): ConstructRequest {
  const [method = '', target = ''] = request.send.split(' ')
  const { in: location, name = '', pointer, value = '' } = point
  if (location === undefined && pointer !== undefined && point.status === undefined)
    return { ...request, body: withMember(request.body ?? {}, pointer, value) }
  if (location === 'header') return { ...request, headers: { ...request.headers, [name]: String(value) } }
  if (location !== 'query') return path === undefined ? request : { ...request, send: `${method} ${path}` }
  const url = new URL(target, 'http://localhost')
  const members = parsePointer(pointer ?? '').map((member) => (member === '*' ? '' : `[${member}]`))
  url.searchParams.set(name + members.join(''), String(value))
  return { ...request, send: `${method} ${url.pathname}${url.search}` }
}

function withMember(body: Json, pointer: string, value: Json): Json {
  const copy = structuredClone(body) as JsonObject
  const names = parsePointer(pointer).map((name) => (name === '*' ? '0' : name))
  const last = names.pop() ?? ''
  const owner = names.reduce<Json>((inner, name) => (inner as JsonObject)[name] ?? {}, copy)
  Object.assign(owner as JsonObject, { [last]: value })
  return copy
}
