import { type ControlSchemas, dataOf, done, type Transport } from './transport.ts'
import type { Names } from './typed-names.ts'

type ScenarioNameOf<N extends Names> = keyof N['scenarios'] & string

/** A scenario as text, with its parameters: `rate-limited;retry-after=3`. Commas separate several scenarios. */
type ScenarioSpec<N extends Names> =
  | ScenarioNameOf<N>
  | `${ScenarioNameOf<N>};${string}`
  | `${ScenarioNameOf<N>},${string}`

/** A sequence item: a scenario, optionally followed by `*` and the number of requests that get it, as in `429*2`. */
type SequenceItemText<N extends Names> = ScenarioSpec<N> | `${ScenarioNameOf<N>}*${number}`

/** The conditions under which a rule applies. By default, it applies to every request that its scenario supports. */
interface RuleConditions<N extends Names> extends Omit<ControlSchemas['Rule'], 'operation' | 'scenario' | 'sequence'> {
  /** The operation. By default, the rule applies to every operation that its scenario supports. */
  readonly operation?: N['operation']
}

/** A rule: a scenario or a sequence, and the conditions under which it applies. */
type NewRule<N extends Names> = RuleConditions<N> &
  (
    | { readonly scenario: ScenarioSpec<N>; readonly sequence?: never }
    | { readonly sequence: string; readonly scenario?: never }
  )

/** The arguments after a scenario name. The parameters can be omitted if none is required. */
type ScenarioArguments<N extends Names, Name extends ScenarioNameOf<N>> =
  Record<never, never> extends N['scenarios'][Name]
    ? [parameters?: N['scenarios'][Name], conditions?: RuleConditions<N>]
    : [parameters: N['scenarios'][Name], conditions?: RuleConditions<N>]

/** A sandbox's rules, in the order in which they were added. Only the first applicable rule is applied to a request. */
export interface SandboxRules<N extends Names> {
  /** Turns on a scenario: `sim.scenario('rate-limited', { 'retry-after': 3 }, { times: 2 })`. */
  scenario<Name extends ScenarioNameOf<N>>(name: Name, ...rest: ScenarioArguments<N, Name>): Promise<void>
  /**
   * Applies the items to successive requests, and the last item to all later requests. A count repeats an item:
   * `sim.sequence(['429*2', '200'])` or `sim.sequence('429*2, 200')`.
   */
  sequence(items: readonly SequenceItemText<N>[] | string, conditions?: RuleConditions<N>): Promise<void>
  /** Adds a rule: `await sim.rule({ scenario: '503', match: { body: { eventType: 'upgrade' } } })`. */
  rule(rule: NewRule<N>): Promise<void>
  /** Lists the sandbox's rules and the startup rules, with the number of times that each rule was applied. */
  rules(): Promise<RuleListing<N>>
  /** Replaces all rules of the sandbox and resets their counts. */
  setRules(rules: readonly NewRule<N>[]): Promise<void>
  /** Removes all rules of the sandbox. */
  clearRules(): Promise<void>
  /** Lists the sequences that requests have used, each with its next item. */
  sequences(): Promise<readonly ControlSchemas['SequenceProgress'][]>
}

/** The rules of a sandbox, the startup rules (tried after the sandbox's rules), and the counts of all rules. */
type RuleListing<N extends Names> = Omit<ControlSchemas['RuleListing'], 'rules'> & {
  readonly rules: readonly NewRule<N>[]
}

/** Creates a sandbox client's methods for rules. @internal */
export function sandboxRules<N extends Names>(transport: Transport, sandbox: string): SandboxRules<N> {
  const params = { query: { sandbox } }
  const rule = async (newRule: NewRule<N>) => {
    checkMatch(newRule)
    await transport.POST('/scenarios', { params, body: { rules: [newRule] } })
  }
  return {
    rule,
    scenario: async (name, ...[parameters, conditions]) =>
      rule({ ...conditions, scenario: name, ...(parameters && { parameters }) } as NewRule<N>),
    sequence: (items, conditions) =>
      rule({ ...conditions, sequence: typeof items === 'string' ? items : items.join(', ') }),
    rules: async () => (await dataOf(transport.GET('/scenarios', { params }))) as unknown as RuleListing<N>,
    async setRules(rules) {
      for (const each of rules) checkMatch(each)
      await transport.PUT('/scenarios', { params, body: { rules: [...rules] } })
    },
    clearRules: () => done(transport.DELETE('/scenarios', { params })),
    sequences: async () => (await dataOf(transport.GET('/sequences', { params }))).sequences,
  }
}

/** Rejects conditions that JSON would omit or change, because the result would match different requests. @internal */
export function checkMatch({ match }: { readonly match?: unknown }): void {
  if (match !== undefined) refuseNonJson(match, 'match')
}

/** Throws if JSON cannot represent the value. `path`: the value's path in the error, such as `match.body.insertId`. */
function refuseNonJson(value: unknown, path: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlain(value)))
    throw new Error(
      `${path} is ${nameValue(value)}, which JSON cannot represent. Use a JSON value, or omit the condition.`,
    )
  for (const [name, member] of Object.entries(value)) refuseNonJson(member, `${path}.${name}`)
}

/** Returns true for a plain object from any realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function nameValue(value: unknown): string {
  if (typeof value === 'object') return `an instance of ${value?.constructor.name}`
  return typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`
}
