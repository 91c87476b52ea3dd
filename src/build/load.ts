import { readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { compileCache } from '../core/compile-cache.ts'

/** The file name of the bundle, a CommonJS module with all code, beside the modules that load it. */
export const BUNDLE = 'convsim.cjs'

/** The entries of the bundle by name. Each returns its exports; the first call runs the entry. */
type BundleEntries = Readonly<Record<string, () => unknown>>

/**
 * Loads the bundle in a folder, with the code that V8 compiled at an earlier start if Node stores that (from 22.1 on,
 * in `NODE_COMPILE_CACHE` or the temporary folder), which saves a quarter of a start.
 */
export function loadBundle(folder: string): BundleEntries {
  compileCache.enableCompileCache?.()
  return createRequire(join(folder, BUNDLE))(`./${BUNDLE}`)
}

/** Loads the bundle in Node's main realm: Jest's realms, one for each test file, would run it once more each. */
export function loadBundleInMainRealm(folder: string): BundleEntries {
  const file = join(folder, BUNDLE)
  const source = readFileSync(file, 'latin1') // the bundle is ASCII, which is read in half the time of UTF-8
  const run = new Script(nodeModule.wrap(source), { filename: file }).runInThisContext()
  const module = { exports: {} }
  run(module.exports, createRequire(file), module, file, dirname(file))
  return module.exports
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
