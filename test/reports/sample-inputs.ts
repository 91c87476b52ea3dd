import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { isObject, type JsonObject } from '../../src/core/json.ts'
import { bundledContract, bundledFixtures } from '../../src/fixtures/bundled.ts'
import { operations } from '../support/client.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The personas that the golden reports were written with: they decide the figures of a model, and the hints for missing items. */
const personas = [
  'healthy',
  'needs_attention',
  'critical',
  'improving',
  'declining',
  'spiky',
  'sparse',
  'new',
  'unrated',
  'basic',
  'empty',
]

/**
 * Writes the bundled document and fixtures with no operations and personas but those of the golden reports, so that an operation or a
 * persona that is added later does not change these. Returns the settings that name them.
 */
export async function writeSampleInputs(): Promise<{ contract: string; fixtures: string }> {
  const folder = await tempFolder()
  const contract = join(folder, 'contract.yaml')
  const fixtures = join(folder, 'fixtures')
  await cp(bundledFixtures, fixtures, { recursive: true })
  await rewrite(bundledContract, contract, (document: JsonObject) => ({
    ...document,
    paths: keepSampleOperations(document['paths'] ?? {}),
  }))
  const inFixtures = (name: string) => join(fixtures, name)
  await rewrite(inFixtures('personas.yaml'), inFixtures('personas.yaml'), (all: { name: string }[]) =>
    all.filter(({ name }) => personas.includes(name)),
  )
  await rewrite(inFixtures('models.yaml'), inFixtures('models.yaml'), (all: { persona?: string }[]) =>
    all.filter(({ persona }) => persona === undefined || personas.includes(persona)),
  )
  return { contract, fixtures }
}

async function rewrite<T>(from: string, to: string, change: (value: T) => unknown): Promise<void> {
  await writeFile(to, stringify(change(parse(await readFile(from, 'utf8')))))
}

/** Returns the path items of a document without the operations that the sample suite does not call. */
function keepSampleOperations(paths: unknown): JsonObject {
  const ids: unknown[] = operations.map(({ id }) => id)
  const items = Object.entries(isObject(paths) ? paths : {}).flatMap(([path, item]) => {
    const methods = Object.entries(isObject(item) ? item : {}).filter(
      ([, operation]) => isObject(operation) && ids.includes(operation['operationId']),
    )
    return methods.length > 0 ? [[path, Object.fromEntries(methods)]] : []
  })
  return Object.fromEntries(items)
}
