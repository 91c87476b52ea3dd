import type { Schema } from '../../api/answers.ts'
import { nameOf } from '../../store/catalogue.ts'

/** Returns the text that a rule switches on: `slow;ms=200`. */
export const nameRule = ({ scenario, sequence }: Schema<'Rule'>) => scenario ?? sequence ?? ''

/** Returns the header with which a single request asks for the same as a rule: `X-Sim-Sequence: 429*2, 200`. */
export function headerOf({ scenario, sequence }: Schema<'Rule'>): string {
  return sequence === undefined ? `X-Sim-Scenario: ${scenario}` : `X-Sim-Sequence: ${sequence}`
}

/** Returns the conditions of a rule in words, one text each: `createEvent`, `body /eventType is "purchase"`. */
export function listConditions({ operation, match = {}, times, probability }: Schema<'Rule'>): string[] {
  const { model, product, method, path, query, header, body } = match
  const plain = Object.entries({ model, product, method, path })
  return [
    operation ?? 'all operations',
    ...plain.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${nameOf(value) ?? value}`])),
    ...Object.entries({ query, header, body }).flatMap(([place, members]) =>
      Object.entries(members ?? {}).map(([name, value]) => `${place} ${name} is ${describeValue(value)}`),
    ),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined || probability === 1 ? [] : [`with the probability ${probability}`]),
  ]
}

const describeValue = (value: unknown) => (value === null ? 'not sent' : JSON.stringify(value))

/** Returns a scenario's text with those parameters that have a value: `slow;ms=200`. */
export function formatScenario(name: string, values: readonly (readonly [string, string])[]): string {
  const sent = values.filter(([, value]) => value !== '')
  return [name, ...sent.map(([parameter, value]) => `${parameter}=${quote(value)}`)].join(';')
}

const quote = (value: string) => (/[,;\s]/.test(value) ? `"${value}"` : value)

/** Splits the text of one scenario: `slow;ms=200`. Of several it makes no sense, which `formatScenario` shows. */
export function readScenario(text: string) {
  const [name = '', ...rest] = text.match(/("[^"]*"|[^;"])+/g) ?? []
  const parameters = rest.map((part) => {
    const [, parameter = part, value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? []
    return [parameter, value.replace(/^"(.*)"$/s, '$1')] as const
  })
  return { name, parameters }
}
