import { canonicalJson, type Json } from '../../core/json.ts'
import type { ChangeEffect, ChangeKind } from './change.ts'

/** The change of one keyword. */
export interface KeywordChange {
  readonly kind: ChangeKind
  readonly effect: ChangeEffect
  /** The end of a sentence: `has minLength 3 (before: 1)`. */
  readonly message: string
}

/** The keywords whose larger value allows less. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']

/** The keywords whose smaller value allows less. */
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']

/** The keywords that describe and do not restrict, and those that are compared elsewhere. */
const IGNORED = new Set(
  ['title', 'description', 'example', 'examples', 'externalDocs', 'xml', '$comment', '$id', '$anchor']
    .concat(['deprecated', 'readOnly', 'writeOnly', '$defs', 'definitions', 'discriminator', 'nullable'])
    .concat(['items', 'additionalProperties', 'prefixItems', 'anyOf', 'oneOf', 'contentMediaType']),
)

/** Functions that return the effect of a change, by keyword. */
const EFFECTS = new Map<string, readonly [ChangeKind, EffectOf]>([
  ['default', ['default-changed', () => 'unknown']],
  ['format', ['format-changed', compareRule]],
  ['pattern', ['pattern-changed', compareRule]],
  ['multipleOf', ['bound-changed', compareMultiple]],
  ['uniqueItems', ['bound-changed', (_, present) => (present === true ? 'narrower' : 'wider')]],
  ...LOWER_BOUNDS.map((name) => [name, ['bound-changed', compareBoundBy(1)]] as const),
  ...UPPER_BOUNDS.map((name) => [name, ['bound-changed', compareBoundBy(-1)]] as const),
])

type EffectOf = (old: Json | undefined, present: Json | undefined) => ChangeEffect

/** Compares the values of a keyword; undefined for a missing one. Returns undefined where nothing changed that matters. */
export function compareKeyword(
  name: string,
  old: Json | undefined,
  present: Json | undefined,
): KeywordChange | undefined {
  if (IGNORED.has(name) || name.startsWith('x-') || isSame(old, present)) return undefined
  const [kind, effectOf] = EFFECTS.get(name) ?? []
  if (kind === undefined || effectOf === undefined)
    return { kind: 'not-compared', effect: 'unknown', message: `has another ${name}, which is not compared` }
  return {
    kind,
    effect: effectOf(old, present),
    message: `has ${name} ${show(present)} (before: ${show(old)})`,
  }
}

const isSame = (old: Json | undefined, present: Json | undefined) =>
  (old === undefined) === (present === undefined) &&
  canonicalJson(old ?? null) === canonicalJson(present ?? null)

const show = (value: Json | undefined) => (value === undefined ? 'none' : JSON.stringify(value))

/** Compares a rule that is there or not; of two different ones neither is known to allow less. */
function compareRule(old: Json | undefined, present: Json | undefined): ChangeEffect {
  if (old === undefined) return 'narrower'
  return present === undefined ? 'wider' : 'unknown'
}

function compareBoundBy(sign: 1 | -1): EffectOf {
  return (old, present) => {
    if (old === undefined || present === undefined) return compareRule(old, present)
    return (Number(present) - Number(old)) * sign > 0 ? 'narrower' : 'wider'
  }
}

function compareMultiple(old: Json | undefined, present: Json | undefined): ChangeEffect {
  if (old === undefined || present === undefined) return compareRule(old, present)
  if (Number(present) % Number(old) === 0) return 'narrower'
  return Number(old) % Number(present) === 0 ? 'wider' : 'unknown'
}
