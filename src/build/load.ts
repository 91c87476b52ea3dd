import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

/** The name of the script that has all code. It is in the same folder as the modules that load it. */
export const BUNDLE = 'convsim.cjs'

/** Returns the path of V8's compiled code of a script. */
export const cachePathOf = (file: string) => `${file}.cache`

/** The entries of the bundle by name. A call runs the entry, once, and returns its exports. */
export type BundleParts = Readonly<Record<string, () => unknown>>

/**
 * Runs the bundle with the compiled code that the build has stored, which saves a quarter of a start. V8 rejects the code of
 * another version of Node or of other flags, and the npm package does not contain it; V8 then compiles the bundle as usual.
 * @param url the `import.meta.url` of a module beside the bundle
 */
export function loadBundle(url: string): BundleParts {
  const file = fileURLToPath(new URL(BUNDLE, url))
  return runScript(compileScript(file), file)
}

/** Returns the script of a file, with its compiled code if there is any. */
export function compileScript(file: string): Script {
  const cachedData = readCache(file)
  // The bundle is ASCII, which is read in half the time of UTF-8.
  return new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) })
}

/** Runs the script of a file and returns its exports. */
export function runScript(script: Script, file: string): BundleParts {
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href)
  return module.exports
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(cachePathOf(file))
  } catch {
    return undefined
  }
}
