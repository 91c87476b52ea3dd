import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

/** The script that all code is in, beside whoever asks for it. */
export const BUNDLE = 'convsim.cjs'

/** What V8 has compiled of a script already. */
export const cacheOf = (file: string) => `${file}.cache`

/** A part of the bundle by the name of its entry: runs it, once, and is what it exports. */
export type Parts = Readonly<Record<string, () => unknown>>

/**
 * Runs the bundle. What the build has compiled of it need not be compiled again, which is a quarter of a start. V8 refuses
 * that where it is of another Node or made under other flags, and npm does not pack it: then the bundle is compiled as ever.
 */
export function load(url: string): Parts {
  const file = fileURLToPath(new URL(BUNDLE, url))
  return run(compile(file), file)
}

/** The script in this file, with what was compiled of it before. */
export function compile(file: string): Script {
  const cachedData = readCache(file)
  // It has no character beyond ASCII, and UTF-8 takes twice as long to read.
  return new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) })
}

/** What the script in this file exports. */
export function run(script: Script, file: string): Parts {
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href)
  return module.exports
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheOf(file))
  } catch {
    return undefined
  }
}
