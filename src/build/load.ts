import { join } from 'node:path'

/** The file name of the bundle, a CommonJS module with all code, beside the modules that load it. */
export const BUNDLE = 'convsim.cjs'

/** The entries of the bundle by name. Each returns its exports; the first call runs the entry. */
type BundleEntries = Readonly<Record<string, () => unknown>>

/** Loads the bundle in Node's main realm, once: Jest has a realm for each test file, and its own `require` there. */
export function loadBundle(folder: string): BundleEntries {
  return process.getBuiltinModule('node:module').createRequire(join(folder, BUNDLE))(`./${BUNDLE}`)
}

/**
 * Wraps a function of the bundle, so that it rejects with an error of the realm of its caller. The bundle runs in
 * Node's main realm, and Jest runs each test file in another one, where `instanceof Error` is false for the bundle's
 * errors.
 */
export function rejectInOwnRealm<Args extends unknown[], Value>(
  run: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  return async (...args) => {
    try {
      return await run(...args)
    } catch (error) {
      if (error instanceof Error) throw error
      throw new Error((error as Error).message, { cause: error }) // the bundle throws nothing but errors
    }
  }
}
