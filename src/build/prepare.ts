import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AjvCompiler, type Compiled, createCompiler } from '../contract/compile.ts'
import type { Loaded } from '../contract/contract.ts'
import { buildContract } from '../contract/load.ts'
import { digestOf, readSource, type Source } from '../contract/source.ts'
import { KEPT, moduleOf } from '../contract/standalone.ts'
import { FIXTURE_FILES, loadFixtures } from '../fixtures.ts'
import { controlContract, shippedContract, shippedFixtures } from '../shipped.ts'

/** The text of modules by name; each may import another one as `prepared:name`. */
export type Modules = ReadonlyMap<string, string>

/**
 * Reads and checks what is shipped with the code that reads it at a start, and writes down what came of it: the values of
 * all files, and the validators as ajv has written them. The module `main` is what `contract/prepared.ts` is in dist/.
 * @throws with the findings, where there are any: what we ship is free of them
 */
export async function prepare(): Promise<Modules> {
  const made: Compiled[] = []
  /** Keeps what was compiled, and is the expression that it is had by. */
  const keep = (compiled: Compiled) => `v${made.push(compiled) - 1}`
  const sources: string[] = []
  for (const file of [shippedContract, controlContract]) {
    const source = demand(await readSource(file))
    const [schemas, parameters] = (await compile(source)).compiled.map(keep)
    // Loading has put the value right in place.
    sources.push(await entry(file, JSON.stringify(source.value), `{ ...${schemas}, ...${parameters} }`))
  }
  demand(await loadFixtures(shippedFixtures))
  for (const name of FIXTURE_FILES) {
    const file = join(shippedFixtures, `${name}.yaml`)
    sources.push(await entry(file, JSON.stringify(demand(await readSource(file)).value), '{}'))
  }
  const imports = made.map((_, index) => `import { validators as v${index} } from 'prepared:v${index}'`)
  const main = `${imports.join('\n')}
const sources = {\n${sources.join(',\n')}\n}
export const prepared = { sources }
`
  return new Map([['main', main], ...made.map((one, index) => [`v${index}`, moduleOf(one)] as const)])
}

async function entry(file: string, json: string, validators: string): Promise<string> {
  const digest = digestOf(await readFile(file))
  return `${JSON.stringify(digest)}: { json: ${JSON.stringify(json)}, validators: ${validators} }`
}

/** Loads a document whole, all checks included, and hands over what compiled it. */
async function compile(source: Source): Promise<AjvCompiler> {
  let kept: AjvCompiler | undefined
  const compiler: NonNullable<Parameters<typeof buildContract>[1]>['compiler'] = (document, from) => {
    kept = createCompiler(document, from, { meta: true, code: KEPT })
    return kept
  }
  const { warnings } = demand(await buildContract(source, { compiler }))
  if (!kept || warnings.length > 0) throw new Error(JSON.stringify(warnings))
  return kept
}

function demand<T>(loaded: Loaded<T>): T {
  if (loaded.ok) return loaded.value
  throw new Error(loaded.findings.map(({ place, message }) => `${place}: ${message}`).join('\n'))
}
