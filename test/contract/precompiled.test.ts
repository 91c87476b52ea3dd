import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCompiler } from '../../src/contract/ajv-compiler.ts'
import { loadContract } from '../../src/contract/load.ts'
import { compileOperations } from '../../src/contract/operation.ts'
import { walk } from '../../src/contract/walk.ts'
import { isObject, type Json } from '../../src/core/json.ts'
import type { Precompiled } from '../../src/documents/precompiled.ts'
import { digestOf, readSource } from '../../src/documents/read-source.ts'
import { bundledContract, bundledFixtures, controlContract } from '../../src/fixtures/bundled.ts'
import { FIXTURE_FILES } from '../../src/fixtures/fixtures.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What the build has put into dist/, as a start finds it. */
const built: { precompiled: Precompiled } = await import(
  new URL('../../dist/precompiled.js', import.meta.url).href
)
const { precompiled } = built

const documents = [
  ['the service', bundledContract, true],
  ['the control plane', controlContract, false],
] as const

/** A shipped document compiled now as a start would, with what is precompiled of it. */
async function bothOf(file: string, answers: boolean) {
  const contract = await loadContract(file, { structure: false, precompiled: { sources: {}, schemas: {} } })
  const source = await readSource(file)
  const known = precompiled.sources[digestOf(await readFile(file))]
  if (!contract.ok || !source.ok || !known) throw new Error(`${file} is not precompiled`)
  const { document } = contract.value
  const compiler = createCompiler(document, source.value, { meta: false })
  compileOperations(document, compiler, answers)
  return { contract: contract.value, compiler, known }
}

describe.each(documents)('of the document of %s', (_name, file, answers) => {
  it('everything is precompiled that a start compiles, and nothing else', async () => {
    const { compiler, known } = await bothOf(file, answers)
    const compiled = compiler.compiled.flatMap(({ names }) => [...names.keys()])
    expect(compiled.length).toBeGreaterThan(5)
    expect(Object.keys(known.validators).sort()).toEqual(compiled.sort())
  })

  it('a precompiled validator says of any value what the compiled one says, in the same error objects', async () => {
    const { contract, compiler, known } = await bothOf(file, answers)
    const values = valuesLike(
      [...walk(contract.document)].flatMap(({ value }) => [value.example, value.value]),
    )
    const pairs = compiler.compiled.flatMap(({ ajv, names }) =>
      [...names].map(([key, name]) => ({
        key,
        precompiled: known.validators[key],
        compiled: ajv.getSchema(name),
      })),
    )
    fc.assert(
      fc.property(fc.constantFrom(...pairs), values, (pair, value) => {
        // Validators of parameters write into what they are given.
        const [one, other] = [structuredClone(value), structuredClone(value)]
        expect(pair.precompiled?.(one), pair.key).toBe(pair.compiled?.(other))
        expect(pair.precompiled?.errors ?? null).toEqual(pair.compiled?.errors ?? null)
        expect(one).toEqual(other)
      }),
      { numRuns: 3000 },
    )
  })

  it('the contract is the same, precompiled or compiled', async () => {
    const { contract } = await bothOf(file, answers)
    const loaded = await loadContract(file, { precompiled, responses: answers })
    if (!loaded.ok) throw new Error('what is precompiled does not load')
    const { document, basePath, title, version, assumptions, warnings } = loaded.value
    expect({ document, basePath, title, version, assumptions, warnings }).toEqual({
      document: contract.document,
      basePath: contract.basePath,
      title: contract.title,
      version: contract.version,
      assumptions: contract.assumptions,
      warnings: contract.warnings,
    })
    expect(loaded.value.operations.map(({ id, statuses }) => [id, statuses])).toEqual(
      contract.operations.map(({ id, statuses }) => [id, statuses]),
    )
  })

  it('a change of a single byte is read, and takes effect', async () => {
    const changed = join(await tempFolder(), 'openapi.yaml')
    await writeFile(changed, (await readFile(file, 'utf8')).replace(/^( +title: ).*$/m, '$1Changed'))
    const loaded = await loadContract(changed, { structure: false, precompiled })
    expect(loaded).toMatchObject({ ok: true, value: { title: 'Changed' } })
  })

  it('the same bytes elsewhere are known again', async () => {
    const copy = join(await tempFolder(), 'copy.yaml')
    await copyFile(file, copy)
    const source = await readSource(copy, precompiled)
    expect(source).toMatchObject({ ok: true, value: { file: copy, precompiled: expect.anything() } })
  })
})

it('who asks for checked answers of a document that is precompiled without them gets them compiled', async () => {
  const loaded = await loadContract(controlContract, { structure: false, precompiled })
  const operation = loaded.ok ? loaded.value.operations.find(({ id }) => id === 'getHealth') : undefined
  expect(operation?.checkResponse(200, {})).not.toEqual([])
})

it.each(FIXTURE_FILES)('the fixtures of %s are precompiled as they are parsed', async (name) => {
  const file = join(bundledFixtures, `${name}.yaml`)
  const [known, parsed] = [await readSource(file, precompiled), await readSource(file)]
  if (!known.ok || !parsed.ok) throw new Error(`${file} cannot be read`)
  expect(known.value.precompiled).toBeDefined()
  expect(known.value.value).toEqual(parsed.value.value)
})

/** Examples, with something in them exchanged for anything; and anything. */
function valuesLike(examples: readonly (Json | undefined)[]): fc.Arbitrary<unknown> {
  const known = examples.filter((example) => example !== undefined)
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('7d', '30d', '14d', '5', 'true'))
  const changed = fc
    .tuple(fc.constantFrom(...known), fc.array(fc.nat(), { maxLength: 4 }), anything)
    .map(([example, path, other]) => exchange(structuredClone(example), path, other as Json)) // JSON by its making
  const parameters = fc.dictionary(fc.constantFrom('modelId', 'period', 'sandbox', 'limit', 'id'), anything)
  return fc.oneof(changed, changed, parameters, anything)
}

/** Follows a path of member numbers, as far as there are members, and puts the other value there. */
function exchange(value: Json, [at, ...further]: readonly number[], other: Json): Json {
  const members = isObject(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : []
  const member = at === undefined ? undefined : members[at % members.length]
  if (member === undefined) return other
  const holder = value as Record<string | number, Json> // it has this member
  holder[member] = exchange(holder[member] ?? null, further, other)
  return value
}
