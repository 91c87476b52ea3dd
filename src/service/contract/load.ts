import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import { failure, joinResults, type Result, reasonOf, success } from '../../base/core/result.ts'
import { nextTurn } from '../../base/core/timers.ts'
import { type PrecompiledFiles, precompiled } from '../../base/documents/precompiled.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { errorAt, errorsFirst, type Findings, type Source } from '../../base/documents/source.ts'
import { placeFaults } from './checks/fault.ts'
import { normaliseSchemas } from './checks/normalise.ts'
import { bundleReferences, leaveOut } from './checks/references.ts'
import { checkRequirements, checkVersion } from './checks/requirements.ts'
import { checkExamples, checkSchemas, checkStructure } from './checks/schemas.ts'
import { createPrecompiledCompiler } from './compiler.ts'
import type { Assumption, Contract, Operation } from './contract.ts'
import { createMatcher } from './match.ts'
import { compileOperations } from './operation.ts'
import { readBasePath } from './servers.ts'
import { upgrade } from './upgrade.ts'

export interface LoadOptions {
  /** True also finds problems that do not prevent serving, which doubles the loading time. @default false */
  readonly thorough?: boolean
  /** False skips the validators of responses, which are the majority. @default true */
  readonly responses?: boolean
  /** The precompiled files, which are neither parsed nor compiled. @default the files precompiled by the build */
  readonly precompiled?: PrecompiledFiles
  /** The overlays to apply to the document, in order. @default none */
  readonly overlays?: readonly string[]
}

export async function loadContract(file: string, options: LoadOptions = {}): Promise<Result<Contract, Findings>> {
  try {
    const source = await readDocument(file, options)
    return source.ok ? await buildContract(source.value, options) : source
  } catch (error) {
    // A document can exceed a library's limits, such as its stack.
    return failure([errorAt(file, `cannot be checked: ${reasonOf(error)}`)])
  }
}

async function readDocument(file: string, { overlays = [], responses = true, ...options }: LoadOptions) {
  if (overlays.length > 0) return readOverlaid(file, overlays)
  const source = await readSource(file, options.precompiled ?? precompiled)
  const lacksValidators = source.ok && source.value.precompiled?.hasResponseValidators === false && responses
  return lacksValidators ? readSource(file) : source
}

export async function readOverlaid(file: string, overlays: readonly string[]): Promise<Result<Source, Findings>> {
  const [document, { readOverlay }, { applyOverlay }] = await Promise.all([
    readSource(file),
    import('../../base/documents/read-overlay.ts'),
    import('../../base/documents/overlay.ts'),
  ])
  const read = joinResults(await Promise.all(overlays.map(readOverlay)))
  if (!document.ok || !read.ok) return failure([document, read].flatMap((each) => (each.ok ? [] : each.error)))
  return read.value.reduce<Result<Source, Findings>>(
    (source, overlay) => (source.ok ? applyOverlay(source.value, overlay) : source),
    document,
  )
}

/** Checks a document in steps, and normalises the schemas of `source.value` in place. Only errors prevent serving. */
export async function buildContract(read: Source, options: LoadOptions = {}): Promise<Result<Contract, Findings>> {
  const { thorough = false, responses = true } = options
  const { value: written } = read
  if (!isObject(written)) return failure([errorAt(read.place(''), 'is not an OpenAPI document')])
  const version = checkVersion(written)
  if (version) return failure(placeFaults([version], read))
  // The build has checked and normalised a precompiled document.
  if (read.precompiled) {
    const compiler = createPrecompiledCompiler(read.precompiled)
    return success(createContract(read, written, compileOperations(written, compiler, responses), []))
  }
  await nextTurn()
  const bundled = await bundleReferences(read, written)
  const faults = thorough ? await checkStructure(written) : []
  faults.push(...leaveOut(written, bundled.failed))
  await nextTurn()
  const { source, document, note } = await upgrade(bundled.source, written)
  const normalised = normaliseSchemas(document)
  faults.push(...(note ? [note] : normalised), ...checkRequirements(document, source))
  const { createAjvCompiler } = await import('./ajv-compiler.ts') // ajv takes 100 ms to load
  const compiler = createAjvCompiler(document, { lazy: !thorough })
  await nextTurn()
  const operations = compileOperations(document, compiler, responses)
  if (thorough) {
    faults.push(...checkSchemas(document, compiler.isFormat))
    await nextTurn()
    faults.push(...checkExamples(document, compiler), ...compiler.compileAll())
  }
  const findings = errorsFirst(placeFaults(faults, source))
  return findings[0]?.severity === 'error'
    ? failure(findings)
    : success(createContract(source, document, operations, findings))
}

function createContract(
  { file, files = [file], place }: Source,
  document: JsonObject,
  operations: Operation[],
  warnings: Findings,
): Contract {
  const { title = '', version = '' } = isObject(document.info) ? document.info : {}
  const basePath = readBasePath(document.servers)
  const assumptions = once(() => collectAssumptions(document))
  return {
    file,
    files,
    title: String(title),
    version: String(version),
    basePath,
    operations,
    get assumptions() {
      return assumptions()
    },
    warnings,
    place,
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
