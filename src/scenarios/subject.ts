import { isObject, type Json } from '../core/json.ts'

/** Ids of the models that a request names in its path, in lower case. */
export function modelsIn(pathParameters: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(pathParameters).map((id) => id.toLowerCase())
}

/** Ids of the products that a request is about, in lower case: the `productId` of its body, and those that its models belong to. */
export function productsOf(
  body: Json | undefined,
  models: readonly string[],
  productsOfModel: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const sent = isObject(body) ? body['productId'] : undefined
  const own = typeof sent === 'string' ? [sent.toLowerCase()] : []
  return [...own, ...models.flatMap((id) => productsOfModel.get(id) ?? [])]
}
