import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import { failure, joinResults, type Result, reasonOf, success } from '../../base/core/result.ts'
import { nextTurn } from '../../base/core/timers.ts'
import { type PrecompiledFiles, precompiled } from '../../base/documents/precompiled.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { errorAt, errorsFirst, type Findings, type Source } from '../../base/documents/source.ts'
import { locateFlaws } from './checks/flaw.ts'
import { normalizeSchemas } from './checks/normalize.ts'
import { bundleReferences, removeBrokenReferences } from './checks/references.ts'
import { checkRequirements, checkVersion } from './checks/requirements.ts'
import { checkExamples, checkSchemas, checkStructure } from './checks/schemas.ts'
import { createPrecompiledCompiler } from './compiler.ts'
import type { Assumption, Contract, Operation } from './contract.ts'
import { createMatcher } from './match.ts'
import { compileOperations } from './operation.ts'
import { readBasePath } from './servers.ts'
import { upgrade } from './upgrade.ts'

export interface LoadOptions {
  /** True to also check the structure, the schemas and the examples. This doubles the loading time. @default false */
  readonly thorough?: boolean
  /** False to skip the response validators, which are most of the validators. @default true */
  readonly responses?: boolean
  /** The precompiled files, which need no parsing or compiling. @default the files precompiled by the build */
  readonly precompiled?: PrecompiledFiles
  /** The overlay files to apply to the document, in order. @default none */
  readonly overlays?: readonly string[]
  /** A set that receives the paths of the files that the document refers to, even if they cannot be read. */
  readonly referencedFiles?: Set<string> | undefined
}

export async function loadContract(file: string, options: LoadOptions = {}): Promise<Result<Contract, Findings>> {
  try {
    const source = await readDocument(file, options)
    return source.ok ? await buildContract(source.value, options) : source
  } catch (error) {
    // A document can cause an exception, such as a stack overflow in a library.
    return failure([errorAt(file, `cannot be checked: ${reasonOf(error)}`)])
  }
}

async function readDocument(file: string, { overlays = [], responses = true, ...options }: LoadOptions) {
  if (overlays.length > 0) return readWithOverlays(file, overlays)
  const source = await readSource(file, options.precompiled ?? precompiled)
  const lacksValidators = source.ok && source.value.precompiled?.hasResponseValidators === false && responses
  return lacksValidators ? readSource(file) : source
}

export async function readWithOverlays(file: string, overlays: readonly string[]): Promise<Result<Source, Findings>> {
  const [document, { readOverlay }, { applyOverlay }] = await Promise.all([
    readSource(file),
    import('../../base/documents/read-overlay.ts'),
    import('../../base/documents/overlay.ts'),
  ])
  const parsed = joinResults(await Promise.all(overlays.map(readOverlay)))
  if (!document.ok || !parsed.ok) return failure([document, parsed].flatMap((each) => (each.ok ? [] : each.error)))
  return parsed.value.reduce<Result<Source, Findings>>(
    (source, overlay) => (source.ok ? applyOverlay(source.value, overlay) : source),
    document,
  )
}

/** Checks a document and builds its contract. Changes `input.value` in place. Warnings do not cause a failure. */
export async function buildContract(input: Source, options: LoadOptions = {}): Promise<Result<Contract, Findings>> {
  const { thorough = false, responses = true } = options
  const { value: root } = input
  if (!isObject(root)) return failure([errorAt(input.locate(''), 'is not an OpenAPI document')])
  const versionFlaw = checkVersion(root)
  if (versionFlaw) return failure(locateFlaws([versionFlaw], input))
  // The build has already checked and normalized a precompiled document.
  if (input.precompiled) {
    const compiler = createPrecompiledCompiler(input.precompiled)
    return success(createContract(input, root, compileOperations(root, compiler, responses), []))
  }
  await nextTurn()
  const bundled = await bundleReferences(input, root, options.referencedFiles)
  const flaws = thorough ? await checkStructure(root) : []
  flaws.push(...removeBrokenReferences(root, bundled.failed))
  await nextTurn()
  const { source, document, note } = await upgrade(bundled.source, root)
  const normalized = normalizeSchemas(document)
  flaws.push(...(note ? [note] : normalized), ...checkRequirements(document, source))
  const { createAjvCompiler } = await import('./ajv-compiler.ts') // ajv takes 100 ms to load
  const compiler = createAjvCompiler(document, { lazy: !thorough })
  await nextTurn()
  const operations = compileOperations(document, compiler, responses)
  if (thorough) {
    flaws.push(...checkSchemas(document, compiler.isFormat))
    await nextTurn()
    flaws.push(...checkExamples(document, compiler), ...compiler.compileAll())
  }
  const findings = errorsFirst(locateFlaws(flaws, source))
  return findings[0]?.severity === 'error'
    ? failure(findings)
    : success(createContract(source, document, operations, findings))
}

function createContract(
  { file, locate }: Source,
  document: JsonObject,
  operations: Operation[],
  warnings: Findings,
): Contract {
  const { title = '', version = '' } = isObject(document.info) ? document.info : {}
  const basePath = readBasePath(document.servers)
  const assumptions = once(() => collectAssumptions(document))
  return {
    file,
    title: String(title),
    version: String(version),
    basePath,
    operations,
    get assumptions() {
      return assumptions()
    },
    warnings,
    locate,
    document,
    match: createMatcher(basePath, operations),
  }
}

function collectAssumptions(value: Json, pointer = ''): Assumption[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'x-assumption' && typeof member === 'string'
      ? { pointer, text: member.trim() }
      : collectAssumptions(member, joinPointer(pointer, name)),
  )
}
