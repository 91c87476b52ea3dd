import type { Schema } from '../../api/answers.ts'
import { bodyText, meaningfulHeaders, redacted, urlOf } from './replay.ts'

/** Formats a request as a call of `fetch`. `$TOKEN` of the environment stands for a credential that the journal has redacted. */
export function formatFetch(exchange: Schema<'Exchange'>, indent = ''): string {
  const { request } = exchange
  const lines = [
    ...(request.method === 'GET' ? [] : [`  method: ${quote(request.method)},`]),
    '  headers: {',
    ...headersOf(exchange).map(([name, value]) => `    ${memberName(name)}: ${quoteHeader(value)},`),
    '  },',
    ...formatBody(request.body),
  ]
  const code = [`const answer = await fetch(${quote(urlOf(exchange))}, {`, ...lines, '})'].join('\n')
  return code.replaceAll('\n', `\n${indent}`)
}

/** Formats a request as a vitest test that expects the same answer. A scenario that a rule switched on becomes a header. */
export function formatVitest(exchange: Schema<'Exchange'>): string {
  const { request, answer } = exchange
  const { json } = answer.body
  const expectations = [
    `  expect(answer.status).toBe(${answer.status})`,
    ...(isObject(json) ? [formatExpectation(json, answer.status)] : []),
  ]
  return [
    "import { expect, test } from 'vitest'",
    '',
    `test(${quote(`${request.method} ${request.path} answers ${answer.status}`)}, async () => {`,
    `  ${formatFetch(exchange, '  ')}`,
    ...expectations,
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

function headersOf(exchange: Schema<'Exchange'>): [string, string][] {
  const headers = meaningfulHeaders(exchange)
  const isByRule = exchange.answer.origin === 'scenario' && !headers.some(([name]) => name === 'x-sim-scenario')
  return isByRule ? [...headers, ['x-sim-scenario', exchange.scenarios.join(', ')]] : headers
}

function formatBody(body: Schema<'Body'>): string[] {
  if (body.size === 0) return []
  // A text stands beside the JSON where that, written again, would be another one.
  if ('json' in body && body.text === undefined) return [`  body: JSON.stringify(${format(body.json, '  ')}),`]
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
const tokenExpression = ['${', 'process.env.TOKEN', '}'].join('')

const quote = (text: string) => `'${escapeText(text).replaceAll("'", "\\'")}'`

const escapeText = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
