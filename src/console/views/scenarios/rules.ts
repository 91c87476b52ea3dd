import { type ApiResult, call, type Schema } from '../../api/call.ts'
import { confirmAction, showNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { catalogue, change, nameOf } from '../../store/server.ts'

export type Rules = readonly Schema<'Rule'>[]

/** Serializes rules to compare them. Omits `enabled`, so a switch can be clicked twice before the list re-renders. */
export const textOf = (...rules: readonly (Schema<'Rule'> | undefined)[]) =>
  JSON.stringify(rules.map((rule) => ({ ...rule, enabled: undefined })))

/** Changes the selected sandbox's rules, unless they differ from `expected` or `edit` returns undefined. */
export async function changeRules(
  expected: Rules | undefined,
  edit: (rules: Rules) => Rules | undefined,
): Promise<ApiResult<Schema<'RuleList'>>> {
  const query = { sandbox: sandbox.peek() }
  const current = await call('get', '/scenarios', { query })
  if (current.problem) return current
  const isExpected = expected === undefined || textOf(...current.value.rules) === textOf(...expected)
  const rules = isExpected ? edit(current.value.rules) : undefined
  if (rules) return call('put', '/scenarios', { query, body: { rules } })
  return { problem: { sentence: 'Not saved: the rules have changed. The list is up to date now; repeat your change.' } }
}

export async function removeAllRules(): Promise<void> {
  const query = { sandbox: sandbox.peek() }
  const { value } = await call('get', '/scenarios', { query })
  const losses = (value?.rules ?? []).map((rule, index) => `rule ${index + 1}: ${nameRule(rule)}`)
  if (losses.length === 0) showNotice('There are no rules to remove.')
  else if (await confirmAction('Remove all rules?', losses))
    await change(call('delete', '/scenarios', { query }), 'Removed all rules.')
}

export const conditionKinds = ['model', 'product', 'method', 'path', 'traceId', 'query', 'header', 'body'] as const

export type ConditionKind = (typeof conditionKinds)[number]

export interface RuleCondition {
  readonly kind: ConditionKind
  /** The name of a header or parameter, or a pointer into the body; empty for the whole body and for other kinds. */
  readonly name: string
  /** The expected value; for the body, JSON or plain text. Null if the header or parameter must be absent. */
  readonly value: string | null
}

/** The text of each form field, keyed by its name or, for a parameter, `parameter NAME`. Omitted fields are empty. */
export type RuleTexts = Readonly<Record<string, string>>

export const hasName = (kind: ConditionKind): kind is 'query' | 'header' | 'body' =>
  ['query', 'header', 'body'].includes(kind)

/** Returns the choice whose form can show the whole rule: the choice for its scenario, or else a free-text choice. */
export function choiceOf({ scenario = '', sequence }: Schema<'Rule'>): RuleChoice | undefined {
  const { name, parameters } = parseScenario(scenario)
  const isWhole = formatScenario(name, parameters) === scenario
  const hasForm = (choice: RuleChoice) =>
    isWhole && choice.name === name && parameters.every(([own]) => choice.parameters.some((one) => one.name === own))
  const choices = listRuleChoices()
  const freeText = sequence === undefined ? 'scenario' : 'sequence'
  return choices.find(hasForm) ?? choices.find((choice) => choice.freeText === freeText)
}

export function toTexts(rule: Schema<'Rule'>): RuleTexts {
  const { operation = '', scenario = '', times = '', probability = '' } = rule
  const parameters = parseScenario(scenario).parameters.map(([name, value]) => [`parameter ${name}`, value])
  const plain = { operation, text: nameRule(rule), times: String(times), probability: String(probability) }
  return { ...plain, ...Object.fromEntries(parameters) }
}

export const toConditions = ({ match = {} }: Schema<'Rule'>): readonly RuleCondition[] =>
  conditionKinds.flatMap((kind): RuleCondition[] => {
    if (!hasName(kind)) return match[kind] === undefined ? [] : [{ kind, name: '', value: match[kind] }]
    const members = Object.entries<unknown>(match[kind] ?? {})
    return members.map(([name, value]) => ({
      kind,
      name,
      value: kind === 'body' ? formatJson(value) : (value as string | null),
    }))
  })

export function toRule(choice: RuleChoice, texts: RuleTexts, conditions: readonly RuleCondition[]): Schema<'Rule'> {
  const { operation, text = '', times, probability } = texts
  const parameters = choice.parameters.map(({ name }) => [name, texts[`parameter ${name}`] ?? ''] as const)
  return {
    ...(operation && { operation }),
    ...(conditions.length > 0 && { match: toMatch(conditions) }),
    [choice.freeText ?? 'scenario']: choice.freeText ? text : formatScenario(choice.name, parameters),
    ...(times && { times: Number(times) }),
    ...(probability && { probability: Number(probability) }),
  }
}

function toMatch(conditions: readonly RuleCondition[]): Schema<'Match'> {
  const match: Record<string, unknown> = {}
  for (const { kind, name, value } of conditions) {
    const member = kind === 'body' ? parseJson(value ?? '') : value
    match[kind] = hasName(kind) ? { ...(match[kind] as object), [name]: member } : value?.trim()
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

/** Returns the header that applies a rule's scenario or sequence to a request: `X-Sim-Sequence: 429*2, 200`. */
export const headerOf = ({ scenario, sequence }: Schema<'Rule'>): string =>
  sequence === undefined ? `X-Sim-Scenario: ${scenario}` : `X-Sim-Sequence: ${sequence}`

/** Describes when a rule applies: `createEvent`, `body /eventType is "purchase"`, `once`. */
export function listConditions({ operation, match = {}, times, probability }: Schema<'Rule'>): string[] {
  const describe = (value: unknown) => (value === null ? 'not sent' : JSON.stringify(value))
  return [
    operation ?? 'all operations',
    ...conditionKinds.flatMap((kind) => {
      if (!hasName(kind)) return match[kind] === undefined ? [] : [`${kind} ${nameOf(match[kind]) ?? match[kind]}`]
      return Object.entries(match[kind] ?? {}).map(([name, value]) => `${kind} ${name} is ${describe(value)}`)
    }),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined || probability === 1 ? [] : [`with probability ${probability}`]),
  ]
}

/** Formats a scenario with the parameters that have a value: `slow;ms=200`. */
function formatScenario(name: string, values: readonly (readonly [string, string])[]): string {
  const given = values.filter(([, value]) => value !== '')
  return [name, ...given.map(([parameter, value]) => `${parameter}=${quote(value)}`)].join(';')
}

const quote = (value: string) => (/[,;\s]/.test(value) ? `"${value}"` : value)

/** Parses the text of a single scenario: `slow;ms=200`. Cannot parse a list of scenarios. */
function parseScenario(text: string) {
  const [name = '', ...rest] = text.match(/("[^"]*"|[^;"])+/g) ?? []
  const parameters = rest.map((part) => {
    const [, parameter = part, value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? []
    return [parameter, value.replace(/^"(.*)"$/s, '$1')] as const
  })
  return { name, parameters }
}

export interface RuleChoice extends Schema<'Entry'> {
  /** The rule member that the user types as text; undefined if the form has a field for each parameter instead. */
  readonly freeText?: 'scenario' | 'sequence'
  readonly status?: string | undefined
}

/** Lists what a rule can apply: a sequence, a combination or a scenario. */
export function listRuleChoices(): readonly RuleChoice[] {
  const { scenarios, operations } = catalogue.value
  const freeTextChoice = { family: 'several scenarios', parameters: [], operations: operations.map(({ id }) => id) }
  return [
    {
      ...freeTextChoice,
      name: 'sequence',
      about: 'Consecutive requests to an operation get the items in order; the last item is repeated.',
      freeText: 'sequence',
      example: '429*2, 200',
    },
    {
      ...freeTextChoice,
      name: 'combination',
      about: 'All listed scenarios act on the same response.',
      freeText: 'scenario',
      example: 'slow;ms=200, 429',
    },
    ...scenarios.map((entry) => ({
      ...entry,
      status: /^Returns (\d+)/.exec(entry.about)?.[1],
      parameters: entry.parameters.filter(({ name }) => name !== 'p'), // rules have `probability` instead
    })),
  ]
}

export const titleOf = ({ name, status }: RuleChoice) => (status === undefined ? name : `${name} (${status})`)
