import { isObject, type Json, type JsonObject } from '../json.ts'
import { below } from '../pointer.ts'
import { createCompiler } from './compile.ts'
import type { Assumption, Contract, Finding, Loaded } from './contract.ts'
import { checkExamples } from './examples.ts'
import { createMatcher } from './match.ts'
import { normalise } from './normalise.ts'
import { compileOperations } from './operation.ts'
import { basePathOf, checkOutline, checkVersion } from './outline.ts'
import { checkReferences } from './references.ts'
import { readSource, type Source } from './source.ts'
import { checkStructure } from './structure.ts'

export interface LoadOptions {
  /**
   * Whether the document is checked against the schemas of OpenAPI 3.1 and of JSON Schema. `false` is for the shipped
   * document, which our tests have checked, to save some 200 ms of every start. Everything else is checked in any case.
   * @default true
   */
  readonly structure?: boolean
}

/**
 * Reads an OpenAPI 3.1 document (YAML or JSON), checks all that can be checked and compiles every validator. Any error
 * stops the load; the findings are all there are, warnings included, and not just the first.
 */
export async function loadContract(file: string, options: LoadOptions = {}): Promise<Loaded<Contract>> {
  const source = await readSource(file)
  return source.ok ? buildContract(source.value, options) : source
}

/** The same for a source that was read already. Its value is changed: what is put right is put right in place. */
export async function buildContract(source: Source, options: LoadOptions = {}): Promise<Loaded<Contract>> {
  const structure = options.structure ?? true
  const document = source.value
  if (!isObject(document)) {
    const place = source.place('')
    return { ok: false, findings: [{ severity: 'error', place, message: 'is not an OpenAPI document' }] }
  }
  const version = checkVersion(document, source)
  if (version.length > 0) return { ok: false, findings: version }

  const findings: Finding[] = []
  if (structure) findings.push(...(await checkStructure(document, source)))
  findings.push(...checkReferences(document, source))
  findings.push(...normalise(document, source))
  findings.push(...checkOutline(document, source))
  const compiler = createCompiler(document, source, { meta: structure })
  const operations = compileOperations(document, compiler)
  const examples = checkExamples(document, compiler, source)
  // Only now, since examples compile what no operation refers to.
  findings.push(...compiler.findings, ...examples)

  if (findings.some(({ severity }) => severity === 'error')) return { ok: false, findings }
  const basePath = basePathOf(document) ?? ''
  return {
    ok: true,
    value: {
      file: source.file,
      ...titleOf(document),
      basePath,
      operations,
      assumptions: [...assumptionsIn(document, '')],
      warnings: findings,
      document,
      match: createMatcher(basePath, operations),
    },
  }
}

function titleOf({ info }: JsonObject): { title: string; version: string } {
  const { title, version } = isObject(info) ? info : {}
  return { title: String(title ?? ''), version: String(version ?? '') }
}

/** Every `x-assumption`, wherever it stands. */
function* assumptionsIn(value: Json, pointer: string): Generator<Assumption> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === 'x-assumption' && typeof member === 'string') yield { pointer, text: member.trim() }
    else yield* assumptionsIn(member, below(pointer, name))
  }
}
