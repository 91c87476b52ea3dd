import prism from '@stoplight/prism-http'
import { pino } from 'pino'
import type { Json } from '../../src/core/json.ts'

const logger = Object.assign(pino({ level: 'silent' }), { success: () => undefined })
const operationsOf = new Map<string, ReturnType<typeof prism.getHttpOperationsFromSpec>>()

/** Returns true if Prism, as a validator, accepts a request. */
export async function isAcceptedByPrism(
  file: string,
  request: { method: string; path: string; query?: Record<string, string | string[]>; body?: Json },
): Promise<boolean> {
  const operations = operationsOf.get(file) ?? prism.getHttpOperationsFromSpec(file)
  operationsOf.set(file, operations)
  const instance = prism.createInstance(
    {
      isProxy: false,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    { logger },
  )
  const { method, path, query = {}, body } = request
  const outcome = await instance.request(
    {
      method: method === 'GET' ? 'get' : 'post',
      url: { path, query },
      headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
      ...(body !== undefined && { body }),
    },
    await operations,
  )()
  return outcome._tag === 'Right' && outcome.right.output.statusCode < 300
}
