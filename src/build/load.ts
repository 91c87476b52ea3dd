import { existsSync, readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { version } from 'node:process'
import { Script } from 'node:vm'
import { compileCache } from '../core/compile-cache.ts'

/** The file name of the bundle, a CommonJS module with all code, beside the modules that load it. */
export const BUNDLE = 'convsim.cjs'

/** The entries of the bundle by name. Each returns its exports; the first call runs the entry. */
type BundleEntries = Readonly<Record<string, () => unknown>>

/** Returns the path of the code that V8 has compiled from the bundle. Another version of V8 rejects that code. */
export const compiledPathOf = (folder: string) => join(folder, `${BUNDLE}.${version}`)

/**
 * Loads the bundle in a folder, with compiled code, which saves a third of a start until the first reply. The build of
 * a checkout or of the image has stored it. The npm package has none for any version of Node; there it is the code that
 * Node stored at an earlier start (from 22.1 on, in `NODE_COMPILE_CACHE` or the temporary folder).
 */
export function loadBundle(folder: string): BundleEntries {
  if (existsSync(compiledPathOf(folder))) return loadBundleInMainRealm(folder)
  compileCache.enableCompileCache?.()
  return createRequire(join(folder, BUNDLE))(`./${BUNDLE}`)
}

/** Loads the bundle in Node's main realm: Jest's realms, one for each test file, would run it once more each. */
export const loadBundleInMainRealm = (folder: string) => runBundle(compileBundle(folder), folder)

/** Compiles the bundle. If the build has stored its compiled code, V8 takes that instead. */
export function compileBundle(folder: string): Script {
  const file = join(folder, BUNDLE)
  const source = readFileSync(file, 'latin1') // the bundle is ASCII, which is read in half the time of UTF-8
  const compiled = compiledPathOf(folder)
  const cachedData = existsSync(compiled) ? readFileSync(compiled) : undefined
  return new Script(nodeModule.wrap(source), { filename: file, ...(cachedData && { cachedData }) })
}

/** Runs the compiled bundle in Node's main realm. */
export function runBundle(script: Script, folder: string): BundleEntries {
  const file = join(folder, BUNDLE)
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
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
