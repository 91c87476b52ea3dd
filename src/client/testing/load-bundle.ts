/** Replaces `server/simulator/start.ts` in the library, so that the library loads the simulator from the bundle. */
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import type { startFromCode as start } from '../../server/simulator/start.ts'

/** The bundle's file name. The bundle contains the simulator and is in the same folder as the modules that load it. */
export const BUNDLE = 'convsim.cjs'

/**
 * Starts a simulator from the bundle, which is loaded once, in Node's main realm. Jest runs each test file in its
 * own realm, with its own `require` and, in jsdom, without `TextDecoder`. In a test's realm, `instanceof Error` is
 * false for the bundle's errors, so this function wraps them in errors from the test's realm.
 */
export const startFromCode: typeof start = async (settings) => {
  const { createRequire } = (runInThisContext('process') as typeof process).getBuiltinModule('node:module')
  const bundle: { start(): { startFromCode: typeof start } } = createRequire(join(__dirname, BUNDLE))(`./${BUNDLE}`)
  try {
    return await bundle.start().startFromCode(settings)
  } catch (error) {
    if (error instanceof Error) throw error
    throw new Error((error as Error).message, { cause: error }) // the bundle throws only `Error` objects
  }
}
