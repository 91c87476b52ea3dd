/** One parameter of a catalogue entry. Closed set of types, so that help, schema and reader agree. */
export interface Parameter {
  readonly name: string
  readonly type: 'integer' | 'number' | 'names'
  /** What holds where it is not given; undefined: it must be given. */
  readonly default: number | undefined
  readonly minimum?: number
  readonly maximum?: number
  /** `s`, `ms`; empty for a plain number. */
  readonly unit: string
  /** One sentence, for help and README. */
  readonly about: string
}

export type Value = number | readonly string[]

export type Values = Readonly<Record<string, Value>>

/** Longest text of one control. Generous for people, too short to be a burden. */
export const maxControlLength = 2000

/** The typed values of the parameters, defaults filled in; or what is wrong with them. */
export function readValues(
  specs: readonly Parameter[],
  sent: ReadonlyMap<string, string>,
): { readonly ok: true; readonly values: Values } | { readonly ok: false; readonly problem: string } {
  for (const name of sent.keys()) {
    if (!specs.some((spec) => spec.name === name))
      return wrong(`has no parameter "${name}"; ${listOf(specs)}`)
  }
  const values: Record<string, Value> = {}
  for (const spec of specs) {
    const text = sent.get(spec.name)
    if (text === undefined && spec.default === undefined)
      return wrong(`needs the parameter "${spec.name}": ${spec.about}`)
    const value = text === undefined ? spec.default : readValue(spec, text)
    if (value === undefined) return wrong(`takes for "${spec.name}" ${rangeOf(spec)}; got "${text}"`)
    values[spec.name] = value
  }
  return { ok: true, values }
}

/** A number that `readValues` has read. */
export function numberOf(values: Values, name: string): number {
  const value = values[name]
  if (typeof value !== 'number') throw new Error(`the parameter ${name} is not a number`)
  return value
}

/** A list of names that `readValues` has read. */
export function namesOf(values: Values, name: string): readonly string[] {
  const value = values[name]
  if (typeof value !== 'object') throw new Error(`the parameter ${name} is not a list of names`)
  return value
}

const wrong = (problem: string) => ({ ok: false, problem }) as const

function readValue(spec: Parameter, text: string): Value | undefined {
  if (spec.type === 'names') {
    const names = text.split(/[|,\s]+/).filter((name) => name !== '')
    return names.length > 0 ? names : undefined
  }
  const value = text.trim() === '' ? Number.NaN : Number(text)
  const whole = spec.type === 'number' || Number.isInteger(value)
  const inRange = value >= (spec.minimum ?? -Infinity) && value <= (spec.maximum ?? Infinity)
  return whole && inRange ? value : undefined
}

function rangeOf(spec: Parameter): string {
  if (spec.type === 'names') return 'names, separated by "|"'
  const kind = spec.type === 'integer' ? 'a whole number' : 'a number'
  return `${kind} from ${spec.minimum ?? 'any'} to ${spec.maximum ?? 'any'}${spec.unit && ` (${spec.unit})`}`
}

function listOf(specs: readonly Parameter[]): string {
  return specs.length === 0 ? 'it takes none' : `it takes: ${specs.map((spec) => spec.name).join(', ')}`
}
