import type { Operation } from '../contract/contract.ts'
import { bodyOfRefusal, isDocumented } from '../exchange/refusals.ts'
import type { DeliveryMode, Reply } from '../exchange/reply.ts'
import {
  type ActiveScenario,
  type DataOverrides,
  type Effect,
  probability,
  type ScenarioDefinition,
} from './definition.ts'
import { type Parameter, readValues } from './parameters.ts'

/** Describes the reply that the client gets: `Status 429, Retry-After: 1, body {"success":false,...}`. */
export function describeClientView(effect: Effect, operation: Operation): string {
  const success = `Status ${operation.successStatus}`
  switch (effect.kind) {
    case 'ordinary':
      return `${isDocumented(operation, effect.status) ? `Status ${effect.status}` : success} with the ordinary body.`
    case 'response':
      return describeReply(effect.reply(operation), operation)
    case 'sample-out':
      return describeDropped(operation)
    case 'gateway':
      return describeGateway(effect, operation)
    case 'data':
      return `${success} with ${describeData(effect.overrides)}.`
    case 'delay':
      return `The ordinary response after ${effect.isRandom ? 'a seeded random delay' : `${effect.ms(() => 0)} ms`}.`
    case 'deliver':
      return describeDelivery(effect.mode, success) + describeWrite(operation, effect.isBeforeWork)
    case 'lose-ack':
      return describeDelivery({ kind: 'reset' }, success) + describeWrite(operation, false)
    case 'drift':
      return `${success} with a body that is damaged at the location that X-Sim-Damage names.`
    case 'expect':
      return 'The ordinary response; only the reports differ.'
  }
}

function describeReply(reply: Reply, operation: Operation): string {
  const fields = Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`)
  const body = bodyOfRefusal(operation, reply)
  const status = `Status ${reply.status}${isDocumented(operation, reply.status) ? '' : ' (undocumented)'}`
  return [status, ...fields, body === undefined ? 'the documented body' : `body ${JSON.stringify(body)}`].join(', ')
}

function describeDropped({ droppedStatus: status, hasResponseBody }: Operation): string {
  return `Status ${status} ${hasResponseBody(status) ? 'with the ordinary body' : 'without a body'}.`
}

function describeGateway({ reply }: Extract<Effect, { kind: 'gateway' }>, { basePath, path }: Operation): string {
  const { status, headers, body } = reply({ target: basePath + path, now: 0 })
  const fields = Object.keys(headers).map((name) => ` with ${name}`)
  return `Status ${status}${fields.join('')}, ${body?.mediaType ?? 'no body'}. The response is not from the service.`
}

function describeData({ persona, shape, nulls = [], extreme }: Partial<DataOverrides>): string {
  if (extreme) return `extreme values in ${extreme.fields.map(({ field }) => field).join(', ')}`
  if (persona !== undefined) return `the numbers of a model with the persona "${persona}"`
  if (shape === 'no-null') return 'data in every field'
  return nulls.length > 0 ? `null in ${nulls.join(', ')}` : 'zero counts, and null wherever null is allowed'
}

function describeDelivery(mode: DeliveryMode, success: string): string {
  switch (mode.kind) {
    case 'whole':
      return 'The ordinary response.'
    case 'dribble':
      return `${success} immediately, then the body in ${mode.pieces} pieces over ${mode.ms} ms.`
    case 'hang':
      return 'No response: the request ends when the client times out.'
    case 'reset':
      return 'No response: the connection is reset (ECONNRESET in Node).'
    case 'empty':
      return 'No response: the connection is closed before the first byte ("other side closed" in Node).'
    case 'truncated':
      return (
        `${success}, then the connection is closed after ${formatPercent(mode.keep)} of the body ` +
        '("other side closed" in Node).'
      )
    case 'malformed':
      return `${success} with the first ${formatPercent(mode.keep)} of the body, which is not valid JSON.`
  }
}

const formatPercent = (fraction: number) => `${Math.round(fraction * 100)}%`

function describeWrite({ method }: Operation, isBeforeWork: boolean): string {
  if (method === 'GET') return ''
  return isBeforeWork ? ' Nothing is stored.' : ' The write is stored.'
}

export const formatRow = (name: string, description: string) => `  ${name.padEnd(18)} ${description}`

/** Formats a parameter with its default and unit: `retry-after=1 (s): The wait before a retry.` */
export function describeParameter(parameter: Parameter): string {
  const { name, default: defaultValue, unit, description } = parameter
  const choices = parameter.type === 'choice' ? ` One of ${parameter.of.join(', ')}.` : ''
  const value = defaultValue === undefined ? '' : `=${defaultValue}`
  return `${name}${value}${unit ? ` (${unit})` : ''}: ${description}${choices}`
}

/** Returns an active scenario as an example: `null;fields=recommendations`, `slow;ms=1000`, `server-error`. */
export function exampleOf(definition: ScenarioDefinition): ActiveScenario {
  const texts = new Map(listShownParameters(definition).map((parameter) => [parameter.name, exampleValue(parameter)]))
  const read = readValues([...definition.parameters, probability], texts)
  if (!read.ok) throw new Error(`the example of the scenario "${definition.name}" ${read.error}`)
  const text = [definition.name, ...Array.from(texts, ([name, value]) => `${name}=${value}`)].join(';')
  return { definition, values: read.value, text }
}

function listShownParameters({ parameters }: ScenarioDefinition): readonly Parameter[] {
  const required = parameters.filter((parameter) => parameter.required)
  return required.length > 0 ? required : parameters.filter((parameter) => parameter.default !== undefined).slice(0, 1)
}

const exampleValue = (parameter: Parameter) => String(parameter.example ?? parameter.default)
