import type { Schema } from '../../api/call.ts'
import { basePath } from '../../store/server.ts'
import { findScenarioBreak } from './subject.ts'

const redacted = '[redacted]'

/** The header that marks a request as sent by this page, so that reports about the client ignore the request. */
export const replayHeader = 'x-sim-replay-of'

/** Headers omitted from copied requests: those that describe the connection or the client, or that mark a replay. */
const omittedHeaders =
  /^(x-sim-replay-of|host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|user-agent|origin|referer|sec-.*)$/

const meaningfulHeaders = ({ request }: Schema<'Exchange'>) =>
  Object.entries(request.headers).filter(([name]) => !omittedHeaders.test(name))

/** Returns a recorded body as text; undefined if the body is empty, incomplete or not text. */
function bodyText(body: Schema<'Body'>): string | undefined {
  if (body.size === 0 || body.cut || body.gone) return undefined
  return body.text ?? ('json' in body ? JSON.stringify(body.json) : undefined)
}

/**
 * Returns why this page cannot resend a request; undefined if it can. Any web page can cause requests to be recorded,
 * so this page must not resend a request with a target that a browser would change, such as `/v1/../__sim/reset`.
 */
export function findSendProblem(exchange: Schema<'Exchange'>): string | undefined {
  const { method, body } = exchange.request
  const url = URL.canParse(urlOf(exchange)) ? new URL(urlOf(exchange)) : undefined
  if (url?.origin !== location.origin || url.pathname + url.search !== targetOf(exchange))
    return 'A browser would change the path or the query. Copy the request as curl, which sends them unchanged.'
  if (/^\/+__sim(\/|$)/i.test(url.pathname)) return 'This page does not resend requests to the control plane.'
  if (/^(TRACE|CONNECT|TRACK)$/.test(method)) return `Browsers cannot send ${method}. Copy the request as curl.`
  if (/^(GET|HEAD)$/.test(method) && body.size > 0)
    return `Browsers cannot send a body with ${method}. Copy the request as curl.`
  const isBodyUnavailable = body.size > 0 && bodyText(body) === undefined
  return isBodyUnavailable ? 'Cannot be sent again: the journal does not have the whole body as text.' : undefined
}

export const targetOf = ({ request: { path, query } }: Schema<'Exchange'>): string =>
  query === '' ? path : `${path}?${query}`

/** Returns the absolute URL of a request. As a relative URL, a target such as `//a` would name a different server. */
export const urlOf = (exchange: Schema<'Exchange'>): string => location.origin + targetOf(exchange)

/** Returns the request to resend. `any-key` replaces a redacted token; a header selects the sandbox if necessary. */
export function toReplay(exchange: Schema<'Exchange'>) {
  const { request, sandbox } = exchange
  const { method, path } = request
  const sent = meaningfulHeaders(exchange).filter(([, value]) => !value.includes(redacted))
  const headers = Object.fromEntries(sent)
  const isSandboxNamed = headers['x-sim-sandbox'] !== undefined || path.startsWith('/_s/') || sandbox === 'default'
  return {
    method,
    headers: {
      ...(request.headers['authorization']?.includes(redacted) && { authorization: 'Bearer any-key' }),
      ...headers,
      ...(!isSandboxNamed && { 'x-sim-sandbox': sandbox }),
    },
    body: bodyText(request.body),
  }
}

/** Formats a request as a `fetch` call, in which `process.env.TOKEN ?? 'any-key'` replaces redacted credentials. */
export const formatFetch = (exchange: Schema<'Exchange'>): string =>
  `const response = await ${formatCall(exchange, quote(urlOf(exchange)), meaningfulHeaders(exchange))}`

function formatCall(
  { request }: Schema<'Exchange'>,
  url: string,
  headers: readonly [string, string][],
  hasTimeout = false,
): string {
  const lines = [
    ...(request.method === 'GET' ? [] : [`  method: ${quote(request.method)},`]),
    '  headers: {',
    ...headers.map(([name, value]) => `    ${memberName(name)}: ${quoteHeader(value)},`),
    '  },',
    ...formatBody(request.body),
    ...(hasTimeout ? ['  signal: AbortSignal.timeout(1000),'] : []),
  ]
  return [`fetch(${url}, {`, ...lines, '})'].join('\n')
}

/**
 * Formats a request as a test that uses the `sim` fixture and checks the response. One header names the scenarios,
 * including those set by rules; another declares an expected violation or refusal. Refusals by the plan or the rate
 * limit depend on the key or the time, so the test reproduces them with a scenario and checks only the status.
 */
export function formatVitest(exchange: Schema<'Exchange'>): string {
  const { request, response } = exchange
  const { json } = response.body
  const path = targetOf(exchange).replace(/^\/_s\/[^/]+/, '')
  const url = path.startsWith(`${basePath.value}/`)
    ? `\`\${sim.baseUrl}${escapeTemplate(path.slice(basePath.value.length))}\``
    : `\`\${new URL(sim.baseUrl).origin}${escapeTemplate(path)}\``
  const failure = findScenarioBreak(exchange)
  const call = formatCall(exchange, url, testHeaders(exchange), failure === 'hung').replaceAll('\n', '\n  ')
  const lines =
    failure === undefined
      ? [`  const response = await ${call}`, `  expect(response.status).toBe(${response.status})`]
      : [`  const body = ${call}.then((response) => response.json())`, '  await expect(body).rejects.toThrow()']
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  const isRepeatable = failure === undefined && scenarioByStage[exchange.stage] === undefined
  const assertion = isRepeatable && isObject ? [formatAssertion(json, response.status)] : []
  const title = `${request.method} ${request.path}${failure ? `: ${failure}` : ` returns ${response.status}`}`
  return `import { expect, test } from 'conversation-analytics-simulator/vitest'

test(${quote(title)}, async ({ sim }) => {
${[...lines, ...assertion].join('\n')}
})
`
}

/** Returns an assertion on the body. The values in a success response vary, so only its member names are checked. */
function formatAssertion(json: object, status: number): string {
  if (status >= 400) return `  expect(await response.json()).toEqual(${formatJson(json, '  ')})`
  const names = Object.keys(json).map(quote).join(', ')
  return `  expect(Object.keys(await response.json())).toEqual(expect.arrayContaining([${names}]))`
}

/** The scenarios that reproduce refusals by the plan or the rate limit, keyed by the stage that refused the request. */
const scenarioByStage: Partial<Record<Schema<'Exchange'>['stage'], string>> = {
  plan: 'forbidden',
  rate: 'rate-limited',
}

/** Returns the headers for a test. They must not select a sandbox, because the test's base URL already does. */
function testHeaders(exchange: Schema<'Exchange'>): [string, string][] {
  const { violations, response } = exchange
  const replacement = scenarioByStage[exchange.stage]
  const scenarios = replacement === undefined ? exchange.scenarios : [...exchange.scenarios, replacement]
  const sent = meaningfulHeaders(exchange)
    .filter(([name]) => !/^x-sim-(sandbox|scenario|sequence)$/.test(name))
    .map(([name, value]): [string, string] => [name, name === 'authorization' ? value.replace(/~[^~]*$/, '') : value])
  const isRefused = replacement === undefined && response.origin === 'contract' && response.status >= 400
  const declaration = violations.length > 0 ? 'violation' : isRefused ? 'refusal' : undefined
  const isDeclared =
    sent.some(([name]) => name === 'x-sim-expect') || scenarios.some((one) => one.startsWith('expect-'))
  if (declaration !== undefined && !isDeclared) sent.push(['x-sim-expect', declaration])
  if (scenarios.length > 0) sent.push(['x-sim-scenario', scenarios.join(', ')])
  return sent
}

function formatBody(body: Schema<'Body'>): string[] {
  if (body.size === 0) return []
  // `text` is set if serializing the parsed JSON would change more than whitespace.
  if ('json' in body && body.text === undefined) return [`  body: JSON.stringify(${formatJson(body.json, '  ')}),`]
  if (body.base64 !== undefined && !body.cut) return [`  body: Buffer.from(${quote(body.base64)}, 'base64'),`]
  const text = bodyText(body)
  return [text === undefined ? '  // Add the body: the journal does not have all of it.' : `  body: ${quote(text)},`]
}

const formatJson = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)

const memberName = (name: string) => (/^[a-z]+$/.test(name) ? name : quote(name))

const quoteHeader = (value: string) =>
  value.includes(redacted) ? `\`${escapeTemplate(value).replaceAll(redacted, tokenExpression)}\`` : quote(value)

const tokenExpression = ['${', "process.env.TOKEN ?? 'any-key'", '}'].join('')

const escapeTemplate = (text: string) => escapeText(text).replaceAll('`', '\\`').replaceAll('$', '\\$')

const quote = (text: string) => `'${escapeText(text).replaceAll("'", "\\'")}'`

const escapeText = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
