import { isObject, type Json } from '../core/json.ts'

/** Returns the ids of the models in a request's path, in lower case. */
export function modelsIn(pathParameters: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(pathParameters).map((id) => id.toLowerCase())
}

/** Returns the ids of a request's products, in lower case: the `productId` of its body, and the products of its models. */
export function productsOf(
  body: Json | undefined,
  models: readonly string[],
  productsOfModel: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const sent = isObject(body) ? body['productId'] : undefined
  const own = typeof sent === 'string' ? [sent.toLowerCase()] : []
  return [...own, ...models.flatMap((id) => productsOfModel.get(id) ?? [])]
}
