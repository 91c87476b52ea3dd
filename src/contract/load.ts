import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { failure, type Result } from '../core/result.ts'
import type { Finding, Findings } from '../documents/finding.ts'
import { type PrecompiledFiles, precompiled } from '../documents/precompiled.ts'
import { readSource } from '../documents/read-source.ts'
import type { Source } from '../documents/source.ts'
import { checkExamples } from './checks/examples.ts'
import { normalise } from './checks/normalise.ts'
import { checkReferences } from './checks/references.ts'
import { basePathOf, checkRequirements, checkVersion } from './checks/requirements.ts'
import { checkStructure } from './checks/structure.ts'
import { chooseCompiler } from './choose-compiler.ts'
import type { Assumption, Contract } from './contract.ts'
import { once } from './dereference.ts'
import { createMatcher } from './match.ts'
import { compileOperations } from './operation.ts'

export interface LoadOptions {
  /**
   * Whether the document is checked against the schemas of OpenAPI 3.1 and of JSON Schema, which takes some 200 ms. `false`
   * is for who did so before. Everything else is checked in any case; what the build has precompiled is not checked again.
   * @default true
   */
  readonly structure?: boolean
  /**
   * Whether answers can be checked. `false` is for a document whose answers are checked by tests alone; most validators
   * are those of answers.
   * @default true
   */
  readonly responses?: boolean
  /** Where a document may be found that was read and compiled before. @default what the build has precompiled */
  readonly precompiled?: PrecompiledFiles
}

/**
 * Reads an OpenAPI 3.1 document (YAML or JSON), checks all that can be checked and compiles every validator. Any error
 * stops the load; the findings are all there are, warnings included, and not just the first.
 */
export async function loadContract(
  file: string,
  options: LoadOptions = {},
): Promise<Result<Contract, Findings>> {
  const known = await readSource(file, options.precompiled ?? precompiled)
  const lacks =
    known.ok && known.value.precompiled?.hasResponseValidators === false && options.responses !== false
  const source = lacks ? await readSource(file) : known
  return source.ok ? buildContract(source.value, options) : source
}

/** The same for a source that was read already. Its value is changed: what is put right is put right in place. */
export async function buildContract(
  source: Source,
  options: LoadOptions = {},
): Promise<Result<Contract, Findings>> {
  const structure = options.structure ?? true
  const document = source.value
  if (!isObject(document)) {
    const place = source.place('')
    return { ok: false, error: [{ severity: 'error', place, message: 'is not an OpenAPI document' }] }
  }
  const version = checkVersion(document, source)
  if (version.length > 0) return { ok: false, error: version }
  // What the build has precompiled it has also checked, and put right where there was something to.
  const checked = source.precompiled ? [] : await checkDocument(document, source, structure)
  const compiler = await chooseCompiler(document, source, { meta: structure })
  const operations = compileOperations(document, compiler, options.responses ?? true)
  const examples = source.precompiled ? [] : checkExamples(document, compiler, source)
  // Only now, since examples compile what no operation refers to.
  const findings = [...checked, ...compiler.findings, ...examples]

  if (findings.some(({ severity }) => severity === 'error')) return failure(findings)
  const basePath = basePathOf(document) ?? ''
  const assumptions = once(() => assumptionsIn(document))
  return {
    ok: true,
    value: {
      file: source.file,
      ...titleOf(document),
      basePath,
      operations,
      get assumptions() {
        return assumptions()
      },
      warnings: findings,
      document,
      match: createMatcher(basePath, operations),
    },
  }
}

/** Checks the document as a document, and puts right what can be. */
async function checkDocument(document: JsonObject, source: Source, structure: boolean): Promise<Finding[]> {
  const findings = structure ? await checkStructure(document, source) : []
  findings.push(...checkReferences(document, source))
  findings.push(...normalise(document, source))
  findings.push(...checkRequirements(document, source))
  return findings
}

function titleOf({ info }: JsonObject): { title: string; version: string } {
  const { title, version } = isObject(info) ? info : {}
  return { title: String(title ?? ''), version: String(version ?? '') }
}

/** Every `x-assumption`, wherever it stands. */
function assumptionsIn(value: Json, pointer = '', found: Assumption[] = []): Assumption[] {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, member] of Object.entries(value)) {
    if (name === 'x-assumption' && typeof member === 'string') found.push({ pointer, text: member.trim() })
    else if (typeof member === 'object') assumptionsIn(member, joinPointer(pointer, name), found)
  }
  return found
}
