import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { once } from '../../base/core/memoize.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { nextTurn } from '../../base/core/timers.ts'
import { errorAt, type Finding, type Findings } from '../../base/documents/finding.ts'
import { type PrecompiledFiles, type PrecompiledSource, precompiled } from '../../base/documents/precompiled.ts'
import { readSource } from '../../base/documents/read-source.ts'
import type { Source } from '../../base/documents/source.ts'
import { checkExamples } from './checks/examples.ts'
import { placeFaults } from './checks/fault.ts'
import { normaliseSchemas } from './checks/normalise.ts'
import { checkReferences } from './checks/references.ts'
import { checkRequirements, checkVersion, readBasePath } from './checks/requirements.ts'
import { checkStructure } from './checks/structure.ts'
import { type Compiler, keyOfParameters, schemaRef, simulatedRef } from './compiler.ts'
import type { Assumption, Contract } from './contract.ts'
import { checkExpansion } from './dereference.ts'
import { createMatcher } from './match.ts'
import { compileOperations } from './operation.ts'

export interface LoadOptions {
  /**
   * Is true for `checkStructure` and `checkSchemas`, which take some 200 ms, and false for a document that passed them.
   * The other checks always run, except on a precompiled document, which the build has checked.
   * @default true
   */
  readonly structure?: boolean
  /**
   * Is true for validators of responses, which are most of the validators. Tests alone check some documents' responses.
   * @default true
   */
  readonly responses?: boolean
  /** The precompiled files, which are neither parsed nor compiled. @default the files that the build has precompiled */
  readonly precompiled?: PrecompiledFiles
  /** The files of overlays that are applied to the document, in their order. @default none */
  readonly overlays?: readonly string[]
}

/**
 * Reads an OpenAPI 3.1 or 3.2 document (YAML or JSON), checks it and compiles every validator.
 * @returns all findings, warnings included, if any of them is an error
 */
export async function loadContract(file: string, options: LoadOptions = {}): Promise<Result<Contract, Findings>> {
  try {
    return await readContract(file, options)
  } catch (error) {
    // A document can bring a library to its limits, such as the end of the stack.
    return failure([errorAt(file, `cannot be checked: ${reasonOf(error)}`)])
  }
}

async function readContract(file: string, options: LoadOptions): Promise<Result<Contract, Findings>> {
  const { overlays = [] } = options
  if (overlays.length > 0) {
    const source = await readOverlaid(file, overlays)
    return source.ok ? buildContract(source.value, options) : source
  }
  const first = await readSource(file, options.precompiled ?? precompiled)
  const lacksValidators =
    first.ok && first.value.precompiled?.hasResponseValidators === false && options.responses !== false
  const source = lacksValidators ? await readSource(file) : first
  return source.ok ? buildContract(source.value, options) : source
}

/** Reads a document and applies overlays to it. The error has the findings on all files that cannot be read. */
export async function readOverlaid(file: string, overlays: readonly string[]): Promise<Result<Source, Findings>> {
  const [document, { readOverlay }, { applyOverlay }] = await Promise.all([
    readSource(file),
    import('../../base/documents/read-overlay.ts'),
    import('../../base/documents/overlay.ts'),
  ])
  const read = await Promise.all(overlays.map(readOverlay))
  const findings = [document, ...read].flatMap((each) => (each.ok ? [] : each.error))
  if (findings.length > 0) return failure(findings)
  return read.reduce(
    (source, overlay) => (source.ok && overlay.ok ? applyOverlay(source.value, overlay.value) : source),
    document,
  )
}

/** Checks and compiles a document in steps, and normalises the schemas of `source.value` in place. */
export async function buildContract(source: Source, options: LoadOptions = {}): Promise<Result<Contract, Findings>> {
  const structure = options.structure ?? true
  const document = source.value
  if (!isObject(document)) return failure([errorAt(source.place(''), 'is not an OpenAPI document')])
  const version = checkVersion(document)
  if (version.length > 0) return failure(placeFaults(version, source))
  const rest = () => (source.precompiled ? undefined : nextTurn())
  await rest()
  // The build has checked and normalised a precompiled document.
  const checked = source.precompiled ? [] : await checkDocument(document, source, structure)
  const endless = source.precompiled ? [] : placeFaults(checkExpansion(document), source)
  if (endless.length > 0) return failure([...checked, ...endless])
  const compiler = await chooseCompiler(document, source, { meta: structure })
  await rest()
  const operations = compileOperations(document, compiler, options.responses ?? true)
  await rest()
  const wrong = source.precompiled ? [] : placeFaults(checkExamples(document, compiler), source)
  // An overlay changes schemas, and need not change the examples of the document, too.
  const examples = options.overlays?.length ? wrong.map((one) => ({ ...one, severity: 'warning' }) as const) : wrong
  // The compiler's findings are read last, because examples compile schemas that no operation refers to.
  const findings = [...checked, ...compiler.findings, ...examples]

  if (findings.some(({ severity }) => severity === 'error')) return failure(findings)
  const basePath = readBasePath(document) ?? ''
  const assumptions = once(() => collectAssumptions(document))
  return success({
    file: source.file,
    ...readTitle(document),
    basePath,
    operations,
    get assumptions() {
      return assumptions()
    },
    warnings: findings,
    document,
    match: createMatcher(basePath, operations),
  })
}

/** Runs the checks that need no validators, and normalises the document between them. */
async function checkDocument(document: JsonObject, source: Source, structure: boolean): Promise<Finding[]> {
  const faults = structure ? await checkStructure(document) : []
  await nextTurn()
  for (const check of [checkReferences, normaliseSchemas]) faults.push(...check(document))
  return placeFaults([...faults, ...checkRequirements(document, source)], source)
}

/**
 * Returns a compiler that looks up the precompiled validators of a source, or else one that uses ajv. Only this
 * function loads ajv, which takes 100 ms.
 * @param options `meta: false` leaves out `checkSchemas`, for a document that is known to pass it
 */
async function chooseCompiler(document: JsonObject, source: Source, options: { meta: boolean }): Promise<Compiler> {
  if (source.precompiled) return createPrecompiledCompiler(source.precompiled)
  const { createAjvCompiler } = await import('./ajv-compiler.ts')
  return createAjvCompiler(document, source, options)
}

/** Creates a compiler that compiles nothing. It has no findings, because the build refuses documents with findings. */
function createPrecompiledCompiler({ validators }: PrecompiledSource): Compiler {
  const find = (key: string) => {
    const validator = validators[key]
    if (validator === undefined) throw new Error(`the build has not precompiled the validator of ${key}`)
    return validator
  }
  return {
    lazy: true,
    getValidator: (pointer) => find(schemaRef(pointer)),
    // A document without simulated values has no validators for them.
    getSimulatedValidator: (pointer) => validators[simulatedRef(pointer)] ?? find(schemaRef(pointer)),
    getParameterValidator: (schema) => find(keyOfParameters(schema)),
    findings: [],
  }
}

function readTitle({ info }: JsonObject): { title: string; version: string } {
  const { title, version } = isObject(info) ? info : {}
  return { title: String(title ?? ''), version: String(version ?? '') }
}

function collectAssumptions(value: Json, pointer = '', found: Assumption[] = []): Assumption[] {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, member] of Object.entries(value)) {
    if (name === 'x-assumption' && typeof member === 'string') found.push({ pointer, text: member.trim() })
    else if (typeof member === 'object') collectAssumptions(member, joinPointer(pointer, name), found)
  }
  return found
}
