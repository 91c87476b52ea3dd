import type { Offer } from './offer.ts'
import { isNamed, parameterKey, type RuleCondition } from './rule-values.ts'

/** The sentences of a refusal by the field of the form that they speak of; those about no field have the name `''`. */
export type RuleRefusals = Readonly<Record<string, string>>

/** Returns the name of the field of a condition. */
export const conditionKey = (index: number) => `condition ${index}`

/** The form whose rule was refused. */
export interface RefusedForm {
  readonly offer: Offer
  readonly conditions: readonly RuleCondition[]
  /** The index of the rule in the list that was sent. */
  readonly index: number
}

/** Splits the refusal of a list of rules, `Invalid rules: body/rules/0/times: ...`, by the fields of the form. */
export function splitRefusal(sentence: string, form: RefusedForm): RuleRefusals {
  const refusals: Record<string, string> = {}
  const parts = sentence.split(/(?=body\/rules\/)/)
  for (const part of parts.length > 1 ? parts.slice(1) : parts) {
    const [, index, pointer = '', message = part] = /^body\/rules\/(\d+)((?:\/[^:]*)?): (.*)$/s.exec(part) ?? []
    const isOwn = Number(index) === form.index
    const field = (isOwn && findField(pointer, message, form)) || ''
    refusals[field] = [refusals[field], isOwn ? message : part].filter(Boolean).join(' ').trim()
  }
  return refusals
}

/** Returns the field for a JSON pointer into the rule; undefined: none. A message about a parameter or a pointer names it in quotes. */
function findField(pointer: string, message: string, { offer, conditions }: RefusedForm): string | undefined {
  const [, member, place, ...rest] = pointer.split('/')
  if (member === 'scenario' || member === 'sequence') {
    if (offer.freeText) return 'text'
    const parameter = offer.parameters.find(({ name }) => message.includes(`"${name}"`))
    return parameter && parameterKey(parameter.name)
  }
  if (member !== 'match') return member
  const name = rest.join('/').replaceAll('~1', '/').replaceAll('~0', '~')
  const at = conditions.findIndex((condition) => {
    if (condition.place !== place) return false
    return !isNamed(place) || (name ? condition.name === name : message.includes(`"${condition.name}"`))
  })
  return at < 0 ? undefined : conditionKey(at)
}

/** Returns a refusal of the page itself for two conditions on the same member, of which a rule can have one. */
export function refuseDoubles(conditions: readonly RuleCondition[]): RuleRefusals {
  const keys = conditions.map(({ place, name }) => `${place} ${place === 'header' ? name.toLowerCase() : name}`)
  const double = keys.findIndex((key, index) => keys.indexOf(key) < index)
  return double < 0 ? {} : { [conditionKey(double)]: 'A rule has one condition on it; remove one of the two.' }
}
