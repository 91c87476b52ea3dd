import { failure, type Result, success } from '../../base/core/result.ts'
import { cutText, findNearest } from '../../base/core/text.ts'

type ParameterKind =
  | {
      readonly type: 'integer' | 'number'
      readonly minimum: number
      readonly maximum: number
      /** Words, such as `none`, that are accepted in addition to numbers. */
      readonly words?: readonly string[]
    }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'text' }
  /** Names separated by "|". */
  | { readonly type: 'names' }

export type Parameter = ParameterKind & {
  readonly name: string
  /** The default, if any; a required parameter has none. */
  readonly default?: number | string
  readonly required?: boolean
  /** A value for use in examples, such as `recommendations`. Every required parameter needs one. */
  readonly example?: string
  /** The unit, such as `s` or `ms`; absent for text and plain numbers. */
  readonly unit?: string
  /** A short text, ending with a period, for the help and the documentation. */
  readonly description: string
}

/** Returns a function that creates numeric parameters: `integer('ms', [0, 1000], 'The delay.')`. */
const numericParameter =
  (type: 'integer' | 'number') =>
  (
    name: string,
    [minimum, maximum]: readonly [number, number],
    description: string,
    more: Pick<Parameter, 'default' | 'unit'> & { readonly words?: readonly string[] } = {},
  ): Parameter => ({ name, type, ...more, minimum, maximum, description })

export const integer = numericParameter('integer')
export const number = numericParameter('number')

type ScenarioValue = number | string | readonly string[]

export function whenParameter(defaultValue: 'before' | 'after'): Parameter {
  return {
    name: 'when',
    type: 'choice',
    of: ['before', 'after'],
    default: defaultValue,
    description: 'Whether the fault comes before or after the request is validated, counted and stored.',
  }
}

export const isBeforeWork = (values: ScenarioValues) => values['when'] === 'before'

/** The values of a scenario's parameters. A parameter with neither a value nor a default is absent. */
export type ScenarioValues = Readonly<Record<string, ScenarioValue>>

export const maxControlLength = 2000

/** Parses parameters and fills in defaults. The error is the end of a sentence: `has no parameter "x"`. */
export function readValues(specs: readonly Parameter[], texts: ReadonlyMap<string, string>): Result<ScenarioValues> {
  const unknownName = [...texts.keys()].find((name) => !specs.some((spec) => spec.name === name))
  if (unknownName !== undefined) return failure(describeUnknownName(unknownName, specs))
  const values: Record<string, ScenarioValue> = {}
  for (const spec of specs) {
    const text = texts.get(spec.name)
    if (text === undefined && spec.required) return failure(`needs the parameter "${spec.name}": ${spec.description}`)
    const value = text === undefined ? spec.default : readValue(spec, text)
    if (value !== undefined) values[spec.name] = value
    else if (text !== undefined) return failure(`expects "${spec.name}" to be ${describeAllowed(spec)}; got "${text}"`)
  }
  return success(values)
}

function describeUnknownName(name: string, specs: readonly Parameter[]): string {
  const known = specs.map((spec) => spec.name)
  const nearest = findNearest(name, known)
  const guess = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
  return `has no parameter "${cutText(name)}"${guess}; it takes: ${known.join(', ')}`
}

// The casts are safe: `readValues` gives each value the type of its parameter.
export const numberOf = (values: ScenarioValues, name: string) => values[name] as number
export const textOf = (values: ScenarioValues, name: string) => values[name] as string | undefined
export const namesOf = (values: ScenarioValues, name: string) => (values[name] ?? []) as readonly string[]

function describeAllowed(spec: Parameter): string {
  switch (spec.type) {
    case 'integer':
      return [`a whole number from ${spec.minimum} to ${spec.maximum}${unitOf(spec)}`, ...quoted(spec.words)].join(
        ', or ',
      )
    case 'number':
      return `a number from ${spec.minimum} to ${spec.maximum}${unitOf(spec)}`
    case 'choice':
      return quoted(spec.of).join(' or ')
    case 'names':
      return 'a list of names, separated by "|"'
    case 'text':
      return 'non-empty text'
  }
}

const quoted = (words: readonly string[] = []) => words.map((word) => `"${word}"`)
const unitOf = ({ unit }: Parameter) => (unit === undefined ? '' : ` (${unit})`)

function readValue(spec: Parameter, text: string): ScenarioValue | undefined {
  switch (spec.type) {
    case 'names': {
      // Commas and spaces also separate names.
      const names = text.split(/[|,]/).flatMap((part) => part.trim().split(/\s+/))
      return names.includes('') ? undefined : names
    }
    case 'text':
      return text === '' ? undefined : text
    case 'choice':
      return spec.of.find((choice) => choice === text)
    default:
      return spec.words?.find((word) => word === text) ?? readNumber(spec, text)
  }
}

function readNumber(
  { type, minimum, maximum }: Extract<ParameterKind, { minimum: number }>,
  text: string,
): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  const hasType = type === 'number' || Number.isInteger(value)
  return hasType && value >= minimum && value <= maximum ? value : undefined
}
