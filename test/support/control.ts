import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { call, objectOf } from './client.ts'
import type { TestSimulator } from './start.ts'

type Target = Pick<TestSimulator, 'origin'>

/** Sends a request to the control plane, such as `'POST', '/reset?sandbox=a'`. Throws unless the status is 200. */
export async function callControl(target: Target, method: string, path: string, body?: Json): Promise<JsonObject> {
  const response = await call(target, `/__sim${path}`, { method, token: null, ...(body !== undefined && { body }) })
  if (response.status !== 200) throw new Error(`${method} ${path} returned ${response.status}: ${response.text}`)
  return objectOf(response)
}

/** Replaces the rules of a sandbox. */
export function putRules(target: Target, rules: JsonObject[], sandbox = 'default'): Promise<JsonObject> {
  return callControl(target, 'PUT', `/scenarios?sandbox=${sandbox}`, { rules })
}

/** Verifies recorded requests. Returns the status and the members of the body. `query`: for example, `?sandbox=a`. */
export async function verify(target: Target, verification: JsonObject, query = '') {
  const response = await call(target, `/__sim/verify${query}`, { body: verification, token: null })
  return { status: response.status, ...objectOf(response) } as JsonObject & { status: number }
}
