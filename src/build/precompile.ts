import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Compiled, createCompiler } from '../contract/ajv-compiler.ts'
import { buildContract } from '../contract/load.ts'
import { compileOperations } from '../contract/operation.ts'
import { moduleOf, STANDALONE_OPTIONS } from '../contract/standalone.ts'
import { isObject } from '../core/json.ts'
import type { Result } from '../core/result.ts'
import type { Findings } from '../documents/finding.ts'
import { digestOf, readSource } from '../documents/read-source.ts'
import { compileDefinitions, type PublishedSchema } from '../documents/schema.ts'
import type { Source } from '../documents/source.ts'
import { bundledContract, bundledFixtures, controlContract } from '../fixtures/bundled.ts'
import { FIXTURE_FILES, loadFixtures } from '../fixtures/fixtures.ts'
import { stateSchema } from '../state/state-checks.ts'

/** The text of modules by name; each may import another one as `precompiled:name`. */
export type Modules = ReadonlyMap<string, string>

/**
 * Reads and checks what is shipped with the code that reads it at a start, and writes down what came of it: the values of
 * all files, and the validators as ajv has written them. The module `main` is what `documents/precompiled.ts` is in dist/.
 * @throws with the findings, where there are any: what we ship is free of them
 */
export async function precompile(): Promise<Modules> {
  const made: Compiled[] = []
  /** Keeps what was compiled, and is the expression that it is had by. */
  const keep = (compiled: Compiled) => `v${made.push(compiled) - 1}`
  const sources: string[] = []
  // Nobody checks the control plane's own answers but the tests, and their validators are half a megabyte.
  for (const [file, answers] of [
    [bundledContract, true],
    [controlContract, false],
  ] as const) {
    const source = demand(await readSource(file))
    // Loading it whole makes all the checks, and puts the value right in place.
    const { warnings } = demand(await buildContract(source))
    if (warnings.length > 0) throw new Error(JSON.stringify(warnings))
    const [schemas, parameters] = compile(source, answers).map(keep)
    sources.push(
      await entry(file, JSON.stringify(source.value), `{ ...${schemas}, ...${parameters} }`, answers),
    )
  }
  demand(await loadFixtures(bundledFixtures))
  for (const name of FIXTURE_FILES) {
    const file = join(bundledFixtures, `${name}.yaml`)
    sources.push(await entry(file, JSON.stringify(demand(await readSource(file)).value), '{}', false))
  }
  const schemas = keep(compileDefinitions(withoutTexts(stateSchema), STANDALONE_OPTIONS))
  const imports = made.map((_, index) => `import { validators as v${index} } from 'precompiled:v${index}'`)
  const main = `${imports.join('\n')}
const sources = {\n${sources.join(',\n')}\n}
const schemas = { ${JSON.stringify(stateSchema.name)}: ${schemas} }
export const precompiled = { sources, schemas }
`
  return new Map([['main', main], ...made.map((one, index) => [`v${index}`, moduleOf(one)] as const)])
}

/** Removes titles and descriptions, which no validator needs. */
function withoutTexts({ schema, ...others }: PublishedSchema): PublishedSchema {
  const isText = (key: string, value: unknown) =>
    /^(title|description)$/.test(key) && typeof value === 'string'
  const text = JSON.stringify(schema, (key, value) => (isText(key, value) ? undefined : value))
  return { ...others, schema: JSON.parse(text) }
}

async function entry(file: string, json: string, validators: string, answers: boolean): Promise<string> {
  const digest = JSON.stringify(digestOf(await readFile(file)))
  return `${digest}: { json: ${JSON.stringify(json)}, answers: ${answers}, validators: ${validators} }`
}

/** Compiles what a start asks for, as a start does. */
function compile(source: Source, answers: boolean): readonly Compiled[] {
  if (!isObject(source.value)) throw new Error(`${source.file} is not a document`)
  const compiler = createCompiler(source.value, source, { meta: false, code: STANDALONE_OPTIONS })
  compileOperations(source.value, compiler, answers)
  return compiler.compiled
}

function demand<T>(loaded: Result<T, Findings>): T {
  if (loaded.ok) return loaded.value
  throw new Error(loaded.error.map(({ place, message }) => `${place}: ${message}`).join('\n'))
}
