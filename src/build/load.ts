import { readFileSync, writeFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { version } from 'node:process'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { compileCache } from '../core/compile-cache.ts'

/** The file name of the bundle, a CommonJS module with all code, beside the modules that load it. */
export const BUNDLE = 'convsim.cjs'

/** The entries of the bundle by name. Each returns its exports; the first call runs the entry. */
type BundleEntries = Readonly<Record<string, () => unknown>>

/**
 * Loads the bundle in a folder, with the compiled code that the build of a checkout or of the image has stored. A start
 * until the first reply takes 17 % less than with Node's own cache on Node 24, and 28 % less than without any on Node
 * 20 (FINDINGS). The npm package has no such code, and V8 rejects that of another version of Node or of other flags.
 * Then it is the code that Node stored at an earlier start (from 22.1 on, in `NODE_COMPILE_CACHE` or the temporary
 * folder).
 */
export function loadBundle(folder: string): BundleEntries {
  const script = readCompiled(folder)
  if (script) return runBundle(script, folder)
  compileCache.enableCompileCache?.()
  return createRequire(join(folder, BUNDLE))(`./${BUNDLE}`)
}

/** Loads the bundle in Node's main realm: Jest's realms, one for each test file, would run it once more each. */
export function loadBundleInMainRealm(folder: string): BundleEntries {
  const file = join(folder, BUNDLE)
  return runBundle(readCompiled(folder) ?? compileBundle(readFileSync(file), file), folder)
}

/** Compiles the source of the bundle, which is ASCII. `file`: its path in stack traces. */
export function compileBundle(source: Buffer, file: string, cachedData?: Buffer): Script {
  return new Script(nodeModule.wrap(source.toString('latin1')), { filename: file, ...(cachedData && { cachedData }) })
}

/** Runs the compiled bundle in Node's main realm. */
export function runBundle(script: Script, folder: string): BundleEntries {
  const file = join(folder, BUNDLE)
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  return module.exports
}

/** Returns the path of the compiled code of the bundle for this version of Node: `dist/convsim.cjs.v24.21.0`. */
export const compiledPathOf = (folder: string) => join(folder, `${BUNDLE}.${version}`)

/** Stores the code that V8 has compiled from the source of the bundle. */
export function storeCompiled(folder: string, source: Buffer, script: Script): void {
  const code = script.createCachedData()
  writeFileSync(compiledPathOf(folder), Buffer.concat([checksumOf(source, code), code]))
}

/** Returns the bundle with its stored code; undefined if there is none that fits, since a start can do without. */
export function readCompiled(folder: string): Script | undefined {
  try {
    const file = join(folder, BUNDLE)
    const [source, stored] = [readFileSync(file), readFileSync(compiledPathOf(folder))]
    const code = stored.subarray(CHECKSUM_BYTES)
    if (!checksumOf(source, code).equals(stored.subarray(0, CHECKSUM_BYTES))) return undefined
    const script = compileBundle(source, file, code)
    return script.cachedDataRejected ? undefined : script
  } catch {
    return undefined
  }
}

const CHECKSUM_BYTES = 4

/** Returns the checksum of source and code. V8 compares the length of the source alone, and runs damaged code. */
function checksumOf(source: Buffer, code: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32LE(crc32(code, crc32(source)))
  return checksum
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
