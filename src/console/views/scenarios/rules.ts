import { type Asked, ask, type Schema } from '../../api/ask.ts'
import { askOnce, showNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { catalogue, change, nameOf } from '../../store/server.ts'

export type Rules = readonly Schema<'Rule'>[]

/** Serializes rules, except whether they are on: a switch can be clicked again before the list re-renders. */
export const textOf = (...rules: readonly (Schema<'Rule'> | undefined)[]) =>
  JSON.stringify(rules.map((rule) => ({ ...rule, enabled: undefined })))

/** Changes the rules of the shown sandbox, unless they are no longer `shown`, or `changed` returns undefined. */
export async function changeRules(
  shown: Rules | undefined,
  changed: (rules: Rules) => Rules | undefined,
): Promise<Asked<Schema<'RuleList'>>> {
  const query = { sandbox: sandbox.peek() }
  const present = await ask('get', '/scenarios', { query })
  if (present.problem) return present
  const isShown = shown === undefined || textOf(...present.value.rules) === textOf(...shown)
  const rules = isShown ? changed(present.value.rules) : undefined
  if (rules) return ask('put', '/scenarios', { query, body: { rules } })
  return { problem: { sentence: 'The rules were changed meanwhile. The list now shows them; repeat your change.' } }
}

export async function removeAllRules(): Promise<void> {
  const query = { sandbox: sandbox.peek() }
  const { value } = await ask('get', '/scenarios', { query })
  const losses = (value?.rules ?? []).map((rule, index) => `rule ${index + 1}: ${nameRule(rule)}`)
  if (losses.length === 0) showNotice('There are no rules to remove.')
  else if (await askOnce('Remove all rules?', losses))
    await change(ask('delete', '/scenarios', { query }), 'Removed all rules.')
}

export const places = ['model', 'product', 'method', 'path', 'traceId', 'query', 'header', 'body'] as const

export type Place = (typeof places)[number]

export interface RuleCondition {
  readonly place: Place
  /** The name of the header or parameter, or the pointer into the body; empty for the whole body and for others. */
  readonly name: string
  /** The text of the field; for the body, JSON or plain text. Null: the request must not have the field. */
  readonly value: string | null
}

/** The texts of the fields by name, with the prefix `parameter ` for parameters; absent: empty. */
export type RuleTexts = Readonly<Record<string, string>>

export const isNamed = (place: Place): place is 'query' | 'header' | 'body' =>
  ['query', 'header', 'body'].includes(place)

/** Returns the form that shows a rule: the plain-text form if the rule has more than its scenario's form can show. */
export function offerOf({ scenario = '', sequence }: Schema<'Rule'>): Offer | undefined {
  const { name, parameters } = readScenario(scenario)
  const isWhole = formatScenario(name, parameters) === scenario
  const hasForm = (offer: Offer) =>
    isWhole && offer.name === name && parameters.every(([own]) => offer.parameters.some((one) => one.name === own))
  const offers = listOffers()
  const freeText = sequence === undefined ? 'scenario' : 'sequence'
  return offers.find(hasForm) ?? offers.find((offer) => offer.freeText === freeText)
}

export function readTexts(rule: Schema<'Rule'>): RuleTexts {
  const { operation = '', scenario = '', times = '', probability = '' } = rule
  const parameters = readScenario(scenario).parameters.map(([name, value]) => [`parameter ${name}`, value])
  const plain = { operation, text: nameRule(rule), times: String(times), probability: String(probability) }
  return { ...plain, ...Object.fromEntries(parameters) }
}

export const readConditions = ({ match = {} }: Schema<'Rule'>): readonly RuleCondition[] =>
  places.flatMap((place): RuleCondition[] => {
    if (!isNamed(place)) return match[place] === undefined ? [] : [{ place, name: '', value: match[place] }]
    const members = Object.entries<unknown>(match[place] ?? {})
    return members.map(([name, value]) => ({
      place,
      name,
      value: place === 'body' ? formatJson(value) : (value as string | null),
    }))
  })

export function toRule(offer: Offer, texts: RuleTexts, conditions: readonly RuleCondition[]): Schema<'Rule'> {
  const { operation, text = '', times, probability } = texts
  const parameters = offer.parameters.map(({ name }) => [name, texts[`parameter ${name}`] ?? ''] as const)
  return {
    ...(operation && { operation }),
    ...(conditions.length > 0 && { match: toMatch(conditions) }),
    [offer.freeText ?? 'scenario']: offer.freeText ? text : formatScenario(offer.name, parameters),
    ...(times && { times: Number(times) }),
    ...(probability && { probability: Number(probability) }),
  }
}

function toMatch(conditions: readonly RuleCondition[]): Schema<'Match'> {
  const match: Record<string, unknown> = {}
  for (const { place, name, value } of conditions) {
    const member = place === 'body' ? parseJson(value ?? '') : value
    match[place] = isNamed(place) ? { ...(match[place] as object), [name]: member } : value?.trim()
  }
  return match
}

/** Parses JSON; returns any other text as a string, so that strings need no quotes. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const formatJson = (value: unknown) =>
  typeof value === 'string' && parseJson(value) === value ? value : JSON.stringify(value)

export const nameRule = ({ scenario, sequence }: Schema<'Rule'>) => scenario ?? sequence ?? ''

/** Returns the header that has the effect of a rule on a single request: `X-Sim-Sequence: 429*2, 200`. */
export const headerOf = ({ scenario, sequence }: Schema<'Rule'>): string =>
  sequence === undefined ? `X-Sim-Scenario: ${scenario}` : `X-Sim-Sequence: ${sequence}`

/** Describes the conditions of a rule: `createEvent`, `body /eventType is "purchase"`. */
export function listConditions({ operation, match = {}, times, probability }: Schema<'Rule'>): string[] {
  const describe = (value: unknown) => (value === null ? 'not sent' : JSON.stringify(value))
  return [
    operation ?? 'all operations',
    ...places.flatMap((place) => {
      if (!isNamed(place)) return match[place] === undefined ? [] : [`${place} ${nameOf(match[place]) ?? match[place]}`]
      return Object.entries(match[place] ?? {}).map(([name, value]) => `${place} ${name} is ${describe(value)}`)
    }),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined || probability === 1 ? [] : [`with the probability ${probability}`]),
  ]
}

/** Returns a scenario's text with the parameters that have a value: `slow;ms=200`. */
function formatScenario(name: string, values: readonly (readonly [string, string])[]): string {
  const sent = values.filter(([, value]) => value !== '')
  return [name, ...sent.map(([parameter, value]) => `${parameter}=${quote(value)}`)].join(';')
}

const quote = (value: string) => (/[,;\s]/.test(value) ? `"${value}"` : value)

/** Splits the text of one scenario: `slow;ms=200`. A list of scenarios is not split correctly. */
function readScenario(text: string) {
  const [name = '', ...rest] = text.match(/("[^"]*"|[^;"])+/g) ?? []
  const parameters = rest.map((part) => {
    const [, parameter = part, value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? []
    return [parameter, value.replace(/^"(.*)"$/s, '$1')] as const
  })
  return { name, parameters }
}

export interface Offer extends Schema<'Entry'> {
  /** The member of a rule that gets the text, if the user types the whole text. */
  readonly freeText?: 'scenario' | 'sequence'
  readonly status?: string | undefined
}

/** Lists the scenarios to switch on, without their probability, since a rule has its own. */
export function listOffers(): readonly Offer[] {
  const { scenarios, operations } = catalogue.value
  const written = { family: 'several scenarios', parameters: [], operations: operations.map(({ id }) => id) }
  return [
    {
      ...written,
      name: 'sequence',
      about: 'Consecutive requests of an operation get its items in order; the last item is repeated.',
      freeText: 'sequence',
      example: '429*2, 200',
    },
    {
      ...written,
      name: 'combination',
      about: 'All of its scenarios act on the same response.',
      freeText: 'scenario',
      example: 'slow;ms=200, 429',
    },
    ...scenarios.map((entry) => ({
      ...entry,
      status: /^Returns (\d+)/.exec(entry.about)?.[1],
      parameters: entry.parameters.filter(({ name }) => name !== 'p'),
    })),
  ]
}

export const titleOf = ({ name, status }: Offer) => (status === undefined ? name : `${name} (${status})`)
