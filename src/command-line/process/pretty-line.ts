import { styleText } from 'node:util'
import { isObject, type JsonObject } from '../../base/core/json.ts'
import { escapeControls } from '../../base/core/text.ts'

type Style = Parameters<typeof styleText>[0]

/** Styles text for a terminal; without colors, returns the text unchanged. */
type Paint = (style: Style, text: string) => string

const formatters: Readonly<Record<string, (line: JsonObject, paint: Paint) => string>> = {
  responded: formatRequest,
  'handled a control request': formatRequest,
  loaded: formatLoaded,
  decided: ({ why }, paint) => formatBelow(paint, asList(why), 'why: ').join('\n'),
  headers: ({ query, requestHeaders, responseHeaders }, paint) =>
    [
      ...formatBelow(paint, listIfDefined(query), '> ?'),
      ...formatBelow(paint, formatHeaders(requestHeaders), '> '),
      ...formatBelow(paint, formatHeaders(responseHeaders), '< '),
    ].join('\n'),
}

/** Formats a JSON log line for people: `POST /v1/events 400 createEvent 1 ms  body/eventType is required`. */
export function formatForPeople(json: string, hasColors: boolean): string {
  const line: JsonObject = JSON.parse(json, (name, value: unknown) =>
    typeof value === 'string' && name !== 'stack' ? escapeControls(value) : value,
  )
  return (formatters[String(line['msg'])] ?? formatOther)(line, hasColors ? styleText : unstyled)
}

const unstyled: Paint = (_style, text) => text

function formatRequest(line: JsonObject, paint: Paint): string {
  const { method, path, status, operation, durationMs, tookMs, requestBody, responseBody } = line
  const ms = Number(tookMs ?? durationMs)
  const end = findAbruptEnd(line)
  const result = end === undefined ? paint(styleOf(Number(status)), String(status)) : paint('red', end)
  const head = [method, path, result, ...listIfDefined(operation)].join(' ')
  const notes = listNotes(line).map((note) => note.replace(/\.$/, ''))
  return [
    `${head} ${ms < 1 ? ms.toFixed(1) : Math.round(ms)} ms${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`,
    ...formatBelow(paint, listIfDefined(requestBody), '> '),
    ...formatBelow(paint, listIfDefined(responseBody), '< '),
  ].join('\n')
}

const endByDamage = new Map<unknown, string>(Object.entries({ hang: 'hung', reset: 'reset', empty: 'closed' }))

/** Returns what happened instead of a response, if deliberate damage prevented the response. */
const findAbruptEnd = ({ damage }: JsonObject) => asList(damage).flatMap((kind) => endByDamage.get(kind) ?? [])[0]

/** Lists what is notable about a request, starting with its error or violations, if any. */
function listNotes(line: JsonObject): string[] {
  const { error, violations, advice, scenarios, sandbox, traceId } = line
  const hasStatus = findAbruptEnd(line) === undefined
  return [
    ...(hasStatus ? listIfDefined(error).map(String) : []),
    ...describeViolations(violations),
    ...describeViolations(advice).map((text) => `advice: ${text}`),
    ...asList(scenarios).map((text) => `scenario ${text}`),
    ...describeDamage(line),
    ...(hasStatus ? describeDelivery(line) : []),
    ...(sandbox === undefined || sandbox === 'default' ? [] : [`sandbox ${sandbox}`]),
    ...listIfDefined(traceId).map((id) => `trace ${id}`),
  ]
}

function describeDamage({ damage }: JsonObject): string[] {
  return asList(damage).flatMap((text) => {
    if (text === 'truncated' || text === 'malformed') return ['the body was cut off']
    return String(text).includes(' at ') ? [`damage: ${text}`] : []
  })
}

function describeDelivery({ delivery, brokenOff }: JsonObject): string[] {
  const { kind, sentBytes } = isObject(delivery) ? delivery : {}
  if (brokenOff) return ['the client disconnected before the end of its request']
  const moment = sentBytes === 0 ? 'before the response' : `after byte ${sentBytes} of the response body`
  if (kind === 'client-gone') return [`the client disconnected ${moment}`]
  if (kind === 'upstream-gone') return [`the real service disconnected ${moment}`]
  return kind === 'server-stopped' ? [`the simulator stopped ${moment}`] : []
}

function formatLoaded({ contract, operations, state }: JsonObject): string {
  const { file, events, prompts } = isObject(state) ? state : {}
  const location = file === ':memory:' ? 'memory' : file
  const records = `events: ${events}, prompts: ${prompts}`
  return `Simulating ${contract} (operations: ${operations}); the state is in ${location} (${records}).`
}

function describeViolations(violations: unknown): string[] {
  const [first, ...others] = asList(violations)
  if (!isObject(first)) return []
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return [`${first['in']}${first['pointer']} ${first['message']}${more}`]
}

function formatOther({ level, time: _time, msg, err, ...fields }: JsonObject, paint: Paint): string {
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = [msg, ...shown].join('  ')
  const style = { warn: 'yellow', error: 'red' }[String(level)] as Style | undefined
  const head = style === undefined ? text : `${paint(style, `${level}:`)} ${text}`
  if (!isObject(err)) return head
  const stack = String(err['stack'] ?? err['message']).split('\n')
  return [head, ...formatBelow(paint, stack.map(escapeControls), '')].join('\n')
}

const formatBelow = (paint: Paint, texts: readonly unknown[], prefix: string): string[] =>
  texts.map((text) => paint('gray', `    ${prefix}${text}`))

function formatHeaders(headers: unknown): string[] {
  return isObject(headers) ? Object.entries(headers).map(([name, value]) => `${name}: ${value}`) : []
}

function styleOf(status: number): Style {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const listIfDefined = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value])
