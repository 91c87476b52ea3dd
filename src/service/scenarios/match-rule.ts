import { isObject, type Json } from '../../base/core/json.ts'
import { findDifferences, type MatchSubject } from '../exchange/match.ts'
import type { Rule } from './rules.ts'

/** Returns the first condition that a request does not meet (`operation`, `match/header/x-team`), if there is one. */
export function findMismatch(rule: Rule, subject: MatchSubject): string | undefined {
  if (!rule.enabled) return 'enabled'
  const [difference] = findDifferences(rule.conditions, subject)
  if (!difference) return undefined
  return difference.field === 'operation' ? 'operation' : `match/${difference.field}`
}

/** Returns the ids of the models in a request's path, in lower case. */
export function modelsIn(pathParameters: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(pathParameters).map((id) => id.toLowerCase())
}

/** Returns the ids of a request's products in lower case: the `productId` of its body, and those of its models. */
export function productsOf(
  body: Json | undefined,
  models: readonly string[],
  productsOfModel: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const sent = isObject(body) ? body['productId'] : undefined
  const own = typeof sent === 'string' ? [sent.toLowerCase()] : []
  return [...own, ...models.flatMap((id) => productsOfModel.get(id) ?? [])]
}
