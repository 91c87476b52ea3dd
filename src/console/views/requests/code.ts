import type { Schema } from '../../api/answers.ts'
import { info } from '../../store/server.ts'
import { bodyText, meaningfulHeaders, redacted, targetOf, urlOf } from './replay.ts'
import { findDamage } from './subject.ts'

/** Formats a request as a call of `fetch`. `$TOKEN`, or `any-key` without one, stands for a redacted credential. */
export const formatFetch = (exchange: Schema<'Exchange'>): string =>
  `const answer = await ${formatCall(exchange, quote(urlOf(exchange)), meaningfulHeaders(exchange))}`

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
 * Formats a request as a test with the fixture `sim` that expects the same answer. A rule's scenario becomes a header,
 * and so does the declaration of a negative test, since the fixture fails for violations and refusals. Where a
 * scenario broke the delivery, the test expects that the answer cannot be read. A refusal by plan or limit, whose text
 * depends on key and time, is that of a scenario, of which the status is expected.
 */
export function formatVitest(exchange: Schema<'Exchange'>): string {
  const { request, answer } = exchange
  const { json } = answer.body
  const basePath = info.value?.contract.basePath ?? '/v1'
  const path = targetOf(exchange).replace(/^\/_s\/[^/]+/, '')
  const inTemplate = (text: string) => escapeText(text).replaceAll('`', '\\`').replaceAll('$', '\\$')
  const url = path.startsWith(`${basePath}/`)
    ? `\`\${sim.baseUrl}${inTemplate(path.slice(basePath.length))}\``
    : `\`\${new URL(sim.baseUrl).origin}${inTemplate(path)}\``
  const word = findDamage(exchange)
  const call = formatCall(exchange, url, testHeaders(exchange), word === 'hung').replaceAll('\n', '\n  ')
  const lines =
    word === undefined
      ? [`  const answer = await ${call}`, `  expect(answer.status).toBe(${answer.status})`]
      : [`  const answer = ${call}.then((answer) => answer.json())`, '  await expect(answer).rejects.toThrow()']
  const isPlain = word === undefined && scenarioByStage[exchange.stage] === undefined
  const expectation = isPlain && isObject(json) ? [formatExpectation(json, answer.status)] : []
  const title = `${request.method} ${request.path}${word === undefined ? ` answers ${answer.status}` : `: ${word}`}`
  return [
    "import { expect, test } from 'conversation-analytics-simulator/vitest'",
    '',
    `test(${quote(title)}, async ({ sim }) => {`,
    ...lines,
    ...expectation,
    '})',
    '',
  ].join('\n')
}

/** A refusal is expected as a whole; of a success, whose figures and ids differ, the names of the members are. */
function formatExpectation(json: object, status: number): string {
  if (status >= 400) return `  expect(await answer.json()).toEqual(${format(json, '  ')})`
  const names = Object.keys(json).map(quote).join(', ')
  return `  expect(Object.keys(await answer.json())).toEqual(expect.arrayContaining([${names}]))`
}

/** The scenarios that refuse as a plan or a limit does, which a test with another key does not meet, by stage. */
const scenarioByStage: Partial<Record<Schema<'Exchange'>['stage'], string>> = {
  plan: 'forbidden',
  rate: 'rate-limited',
}

/** Returns the headers of a test, whose base URL names the sandbox: the token must not name another one. */
function testHeaders(exchange: Schema<'Exchange'>): [string, string][] {
  const { violations, answer } = exchange
  const asked = scenarioByStage[exchange.stage]
  const scenarios = asked === undefined ? exchange.scenarios : [...exchange.scenarios, asked]
  const sent = meaningfulHeaders(exchange)
    .filter(([name]) => !/^x-sim-(sandbox|scenario|sequence)$/.test(name))
    .map(([name, value]): [string, string] => [name, name === 'authorization' ? value.replace(/~[^~]*$/, '') : value])
  const isRefused = asked === undefined && answer.origin === 'contract' && answer.status >= 400
  const declared = violations.length > 0 ? 'violation' : isRefused ? 'refusal' : undefined
  const isDeclared =
    sent.some(([name]) => name === 'x-sim-expect') || scenarios.some((one) => one.startsWith('expect-'))
  if (declared !== undefined && !isDeclared) sent.push(['x-sim-expect', declared])
  if (scenarios.length > 0) sent.push(['x-sim-scenario', scenarios.join(', ')])
  return sent
}

function formatBody(body: Schema<'Body'>): string[] {
  if (body.size === 0) return []
  // A text stands beside the JSON where that, written again, would be another one.
  if ('json' in body && body.text === undefined) return [`  body: JSON.stringify(${format(body.json, '  ')}),`]
  if (body.base64 !== undefined && !body.cut) return [`  body: Buffer.from(${quote(body.base64)}, 'base64'),`]
  const text = bodyText(body)
  return [text === undefined ? '  // The journal does not have the whole body as text.' : `  body: ${quote(text)},`]
}

const format = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)

const memberName = (name: string) => (/^[a-z]+$/.test(name) ? name : quote(name))

function quoteHeader(value: string): string {
  if (!value.includes(redacted)) return quote(value)
  const text = escapeText(value).replaceAll('`', '\\`').replaceAll('$', '\\$')
  return `\`${text.replaceAll(redacted, tokenExpression)}\``
}

/** The expression in a template that reads the token of whoever runs the code. */
const tokenExpression = ['${', "process.env.TOKEN ?? 'any-key'", '}'].join('')

const quote = (text: string) => `'${escapeText(text).replaceAll("'", "\\'")}'`

const escapeText = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
