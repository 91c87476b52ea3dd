import type { Schema } from '../../api/ask.ts'
import { basePath } from '../../store/server.ts'
import { findDamage } from './subject.ts'

const redacted = '[redacted]'

/** The header that marks a request as sent by this page, so that reports on the client ignore it. */
export const replayHeader = 'x-sim-replay-of'

/** Headers of the connection or of the client itself, which every client sets by itself. */
const ownHeaders =
  /^(x-sim-replay-of|host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|user-agent|origin|referer|sec-.*)$/

const meaningfulHeaders = ({ request }: Schema<'Exchange'>) =>
  Object.entries(request.headers).filter(([name]) => !ownHeaders.test(name))

/** Returns the text of a recorded body, or undefined if there is none or it is incomplete. */
function bodyText(body: Schema<'Body'>): string | undefined {
  if (body.size === 0 || body.cut || body.gone) return undefined
  return body.text ?? ('json' in body ? JSON.stringify(body.json) : undefined)
}

/**
 * Returns the reason why this page cannot resend a request unchanged, if any. Any page can cause a recorded request, so
 * a target that the browser would resolve to another, such as `/v1/../__sim/reset`, must not be sent.
 */
export function findSendProblem(exchange: Schema<'Exchange'>): string | undefined {
  const { method, body } = exchange.request
  const url = URL.canParse(urlOf(exchange)) ? new URL(urlOf(exchange)) : undefined
  if (url?.origin !== location.origin || url.pathname + url.search !== targetOf(exchange))
    return 'A browser would change the path or the query. Copy the request as curl, which sends them unchanged.'
  if (/^\/+__sim(\/|$)/i.test(url.pathname)) return 'It is a request to the control plane, not to the service.'
  if (/^(TRACE|CONNECT|TRACK)$/.test(method)) return `No browser sends ${method}. Copy the request as curl.`
  if (/^(GET|HEAD)$/.test(method) && body.size > 0)
    return `No browser sends a body with ${method}. Copy the request as curl.`
  const isUnknown = body.size > 0 && bodyText(body) === undefined
  return isUnknown ? 'The journal does not have the whole body as text.' : undefined
}

export const targetOf = ({ request: { path, query } }: Schema<'Exchange'>): string =>
  query === '' ? path : `${path}?${query}`

/** Returns the URL of a request on this server; a target that begins with two slashes would name another server. */
export const urlOf = (exchange: Schema<'Exchange'>): string => location.origin + targetOf(exchange)

/** Returns the request to resend: `any-key` replaces a redacted token, and the sandbox that it named is in a header. */
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

/** Formats a request as a `fetch` call. `$TOKEN`, or `any-key` if it is not set, replaces a redacted credential. */
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
 * Formats a request as a test with the fixture `sim` that expects the same response. A rule's scenario becomes a
 * header, as does the declaration of a negative test, since the fixture fails for violations and refusals. If a
 * scenario broke the delivery, the test expects that the response cannot be read. A refusal by plan or limit, whose
 * text depends on key and time, becomes a scenario, and only its status is expected.
 */
export function formatVitest(exchange: Schema<'Exchange'>): string {
  const { request, response } = exchange
  const { json } = response.body
  const path = targetOf(exchange).replace(/^\/_s\/[^/]+/, '')
  const url = path.startsWith(`${basePath.value}/`)
    ? `\`\${sim.baseUrl}${inTemplate(path.slice(basePath.value.length))}\``
    : `\`\${new URL(sim.baseUrl).origin}${inTemplate(path)}\``
  const word = findDamage(exchange)
  const call = formatCall(exchange, url, testHeaders(exchange), word === 'hung').replaceAll('\n', '\n  ')
  const lines =
    word === undefined
      ? [`  const response = await ${call}`, `  expect(response.status).toBe(${response.status})`]
      : [`  const body = ${call}.then((response) => response.json())`, '  await expect(body).rejects.toThrow()']
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  const isPlain = word === undefined && scenarioByStage[exchange.stage] === undefined
  const expectation = isPlain && isObject ? [formatExpectation(json, response.status)] : []
  const title = `${request.method} ${request.path}${word === undefined ? ` returns ${response.status}` : `: ${word}`}`
  return `import { expect, test } from 'conversation-analytics-simulator/vitest'

test(${quote(title)}, async ({ sim }) => {
${[...lines, ...expectation].join('\n')}
})
`
}

/** Expects the whole body of a refusal, but only the member names of a success, whose numbers and ids differ. */
function formatExpectation(json: object, status: number): string {
  if (status >= 400) return `  expect(await response.json()).toEqual(${format(json, '  ')})`
  const names = Object.keys(json).map(quote).join(', ')
  return `  expect(Object.keys(await response.json())).toEqual(expect.arrayContaining([${names}]))`
}

/** The scenarios, by stage, that replace a refusal by plan or limit, which a test with another key would not get. */
const scenarioByStage: Partial<Record<Schema<'Exchange'>['stage'], string>> = {
  plan: 'forbidden',
  rate: 'rate-limited',
}

/** Returns the headers of a test, whose base URL names the sandbox: the token must not name another one. */
function testHeaders(exchange: Schema<'Exchange'>): [string, string][] {
  const { violations, response } = exchange
  const asked = scenarioByStage[exchange.stage]
  const scenarios = asked === undefined ? exchange.scenarios : [...exchange.scenarios, asked]
  const sent = meaningfulHeaders(exchange)
    .filter(([name]) => !/^x-sim-(sandbox|scenario|sequence)$/.test(name))
    .map(([name, value]): [string, string] => [name, name === 'authorization' ? value.replace(/~[^~]*$/, '') : value])
  const isRefused = asked === undefined && response.origin === 'contract' && response.status >= 400
  const declared = violations.length > 0 ? 'violation' : isRefused ? 'refusal' : undefined
  const isDeclared =
    sent.some(([name]) => name === 'x-sim-expect') || scenarios.some((one) => one.startsWith('expect-'))
  if (declared !== undefined && !isDeclared) sent.push(['x-sim-expect', declared])
  if (scenarios.length > 0) sent.push(['x-sim-scenario', scenarios.join(', ')])
  return sent
}

function formatBody(body: Schema<'Body'>): string[] {
  if (body.size === 0) return []
  // `text` is set if the JSON, serialized again, would differ.
  if ('json' in body && body.text === undefined) return [`  body: JSON.stringify(${format(body.json, '  ')}),`]
  if (body.base64 !== undefined && !body.cut) return [`  body: Buffer.from(${quote(body.base64)}, 'base64'),`]
  const text = bodyText(body)
  return [text === undefined ? '  // The journal does not have the whole body as text.' : `  body: ${quote(text)},`]
}

const format = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)

const memberName = (name: string) => (/^[a-z]+$/.test(name) ? name : quote(name))

const quoteHeader = (value: string) =>
  value.includes(redacted) ? `\`${inTemplate(value).replaceAll(redacted, tokenExpression)}\`` : quote(value)

const tokenExpression = ['${', "process.env.TOKEN ?? 'any-key'", '}'].join('')

const inTemplate = (text: string) => escapeText(text).replaceAll('`', '\\`').replaceAll('$', '\\$')

const quote = (text: string) => `'${escapeText(text).replaceAll("'", "\\'")}'`

const escapeText = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
