import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

/** The file name of the bundle, the script that has all code. The modules that load it are in the same folder. */
export const BUNDLE = 'convsim.cjs'

/** Returns the path of the code that V8 has compiled from a script: `dist/convsim.cjs.cache`. */
export const cachePathOf = (file: string) => `${file}.cache`

/** The entries of the bundle by name. Each returns its exports; the first call runs the entry. */
export type BundleEntries = Readonly<Record<string, () => unknown>>

/**
 * Runs the bundle with the compiled code that the build has stored, which saves a quarter of a start. V8 rejects the code of
 * another version of Node or of other flags, and the npm package does not contain it; V8 then compiles the bundle as usual.
 * @param folder the folder of the bundle: `/app/dist`
 */
export function loadBundle(folder: string): BundleEntries {
  const file = join(folder, BUNDLE)
  return runScript(compileScript(file), file)
}

/** Compiles a script. If the build has stored its compiled code, V8 takes that instead. */
export function compileScript(file: string): Script {
  const cachedData = readCache(file)
  // The bundle is ASCII, which is read in half the time of UTF-8.
  return new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) })
}

/** Runs the script of a file and returns its exports. */
export function runScript(script: Script, file: string): BundleEntries {
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href)
  return module.exports
}

/**
 * Wraps a function of the bundle, so that it rejects with an error of the realm of its caller. The bundle runs in Node's main realm, and
 * Jest runs each test file in another one, where `instanceof Error` is false for the bundle's errors.
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

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(cachePathOf(file))
  } catch {
    return undefined
  }
}
