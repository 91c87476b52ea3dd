import { isObject, type Json } from '../../src/base/core/json.ts'
import { valueAt } from '../../src/base/core/json-pointer.ts'
import type { Analytics } from '../../src/service/simulation/analytics.ts'
import { operationOf } from './catalogue.ts'
import { call, type RequestOptions } from './client.ts'
import { describeViolations } from './documented.ts'
import type { TestSimulator } from './start.ts'

const schema = operationOf('getModelAnalytics').responseSchema(200)

/** Each field of an analytics response, mapped to true if the field can be null. */
export const analyticsFields = fieldsOf(schema)
export const pointFields = fieldsOf(valueAt(schema, '/properties/dataPoints/items'))

function fieldsOf(objectSchema: Json | undefined): ReadonlyMap<string, boolean> {
  const properties = valueAt(objectSchema, '/properties')
  if (!isObject(properties)) throw new Error('the schema has no properties')
  const isNullable = (property: Json) => [valueAt(property, '/type')].flat().includes('null')
  return new Map(Object.entries(properties).map(([name, property]) => [name, isNullable(property)]))
}

/** The periods in the bundled document. */
export const periods = ['7d', '30d', '90d'] as const
export type Period = (typeof periods)[number]

/** Reads the analytics for a model. Throws if the response is not a 200 or violates the document. */
export async function readAnalytics(
  target: Pick<TestSimulator, 'origin'>,
  modelId: string,
  period?: Period,
  options: RequestOptions = {},
): Promise<Analytics> {
  const query = period === undefined ? '' : `?period=${period}`
  const response = await call(target, `/v1/models/${modelId}/analytics${query}`, options)
  if (response.status !== 200) throw new Error(`${response.status} for ${modelId}${query}: ${response.text}`)
  const violations = describeViolations('getModelAnalytics', 200, response.body)
  if (violations.length > 0) throw new Error(`${modelId}${query} violates the document: ${violations.join('; ')}`)
  return response.body as unknown as Analytics // checked above against the document's schema
}
