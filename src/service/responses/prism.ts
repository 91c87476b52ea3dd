import type { Json, JsonObject } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { dereference } from '../contract/resolve.ts'

/** Prism's settings. Validation is off, because the pipeline validates requests and responses. */
const CONFIG = {
  isProxy: false,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const

/**
 * Loads Prism, which takes a second and 95 MB. Returns undefined if Prism is not installed: convsim's npm package
 * does not include it. For each request, Prism calls `logger.success`, which pino lacks.
 */
const load = once(async () => {
  try {
    const [{ default: prism }, { pino }] = await Promise.all([import('@stoplight/prism-http'), import('pino')])
    const logger = pino({ level: 'silent' }, { write: () => undefined })
    return { prism, instance: prism.createInstance(CONFIG, { logger: Object.assign(logger, { success: () => {} }) }) }
  } catch {
    return undefined
  }
})

/** Matches what Prism does not support: recursion, `writeOnly`, `discriminator`, and `null` as the first type. */
const unsupported = /"\$ref"|"writeOnly":true|"discriminator":|"type":\[?"null"/

/** Returns the body that Prism generates for a schema; undefined if Prism is missing or does not support the schema. */
export async function generateWithPrism(document: JsonObject, schema: Json | undefined): Promise<Json | undefined> {
  const expanded = typeof schema === 'object' ? dereference(document, schema as JsonObject) : undefined
  if (expanded === undefined || unsupported.test(JSON.stringify(expanded))) return undefined
  const loaded = await load()
  const content = { 'application/json': { schema: expanded } }
  const paths = { '/': { get: { responses: { 200: { description: '', content } } } } }
  const description = { openapi: '3.1.0', info: { title: '', version: '' }, paths }
  try {
    // The pipeline has already matched the request, so Prism gets only a made-up operation.
    const operations = (await loaded?.prism.getHttpOperationsFromSpec(description)) ?? []
    const reply = await loaded?.instance.request({ method: 'get', url: { path: '/' } }, operations)()
    if (reply?._tag !== 'Right' || reply.right.output.body === undefined) return undefined
    return JSON.parse(JSON.stringify(reply.right.output.body))
  } catch {
    return undefined // Prism throws for some schemas
  }
}
