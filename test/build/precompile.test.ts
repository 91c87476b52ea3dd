// @module-tag long
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import { computeDigest, readSource } from '../../src/base/documents/read-source.ts'
import { createAjvCompiler } from '../../src/service/contract/ajv-compiler.ts'
import { loadContract } from '../../src/service/contract/load.ts'
import { compileOperations } from '../../src/service/contract/operation.ts'
import { walk } from '../../src/service/contract/walk.ts'
import { bundledContract, bundledFixtures, controlContract, FIXTURE_FILES } from '../../src/service/fixtures/bundled.ts'
import { bundle } from '../support/bundle.ts'
import { replaceAt } from '../support/replace-at.ts'
import { tempFolder } from '../support/temp-folder.ts'

const { precompiled } = bundle.precompiled()

const documents = [
  ['the service', bundledContract, true],
  ['the control plane', controlContract, false],
] as const

/** Compiles a bundled document as if nothing were precompiled. `known`: the result of the build's precompilation. */
async function compileAgain(file: string, hasResponseValidators: boolean) {
  const contract = await loadContract(file, { precompiled: { sources: {}, schemas: {} } })
  const known = precompiled.sources[computeDigest(await readFile(file))]
  if (!contract.ok || !known) throw new Error(`${file} is not precompiled`)
  const { document } = contract.value
  const compiler = createAjvCompiler(document, { lazy: false })
  compileOperations(document, compiler, hasResponseValidators)
  expect(compiler.compileAll()).toEqual([])
  return { contract: contract.value, compiler, known }
}

describe.each(documents)('the document of %s', (_name, file, hasResponseValidators) => {
  it('has a precompiled validator for each schema that startup would compile, and no other validators', async () => {
    const { compiler, known } = await compileAgain(file, hasResponseValidators)
    const compiled = compiler.compiled.flatMap(({ names }) => [...names.keys()])
    expect(compiled.length).toBeGreaterThan(5)
    expect(Object.keys(known.validators).sort()).toEqual(compiled.sort())
  })

  it('has precompiled validators with the same results and errors as validators compiled at startup', async () => {
    const { contract, compiler, known } = await compileAgain(file, hasResponseValidators)
    const values = generateValues([...walk(contract.document)].flatMap(({ value }) => [value.example, value.value]))
    const pairs = compiler.compiled.flatMap(({ ajv, names }) =>
      [...names].map(([key, name]) => ({ key, precompiled: known.validators[key], compiled: ajv.getSchema(name) })),
    )
    fc.assert(
      fc.property(fc.constantFrom(...pairs), values, (pair, value) => {
        // Separate copies, in case a validator changes its argument.
        const [first, second] = [structuredClone(value), structuredClone(value)]
        expect(pair.precompiled?.(first), pair.key).toBe(pair.compiled?.(second))
        expect(pair.precompiled?.errors ?? null).toEqual(pair.compiled?.errors ?? null)
        expect(first).toEqual(second)
      }),
      { numRuns: 3000 },
    )
  })

  it('results in the same contract whether it is precompiled or not', async () => {
    const { contract } = await compileAgain(file, hasResponseValidators)
    const loaded = await loadContract(file, { precompiled, responses: hasResponseValidators })
    if (!loaded.ok) throw new Error('the precompiled document cannot be loaded')
    for (const part of ['document', 'basePath', 'title', 'version', 'assumptions', 'warnings'] as const)
      expect(loaded.value[part]).toEqual(contract[part])
    const statusesOf = ({ operations }: typeof contract) => operations.map(({ id, statuses }) => [id, statuses])
    expect(statusesOf(loaded.value)).toEqual(statusesOf(contract))
  })

  it('is parsed if its content differs from the precompiled content', async () => {
    const changed = join(await tempFolder(), 'openapi.yaml')
    await writeFile(changed, (await readFile(file, 'utf8')).replace(/^( +title: ).*$/m, '$1Changed'))
    const loaded = await loadContract(changed, { precompiled })
    expect(loaded).toMatchObject({ ok: true, value: { title: 'Changed' } })
  })

  it('counts as precompiled at any path if its bytes are unchanged', async () => {
    const copy = join(await tempFolder(), 'copy.yaml')
    await copyFile(file, copy)
    const source = await readSource(copy, precompiled)
    expect(source).toMatchObject({ ok: true, value: { file: copy, precompiled: expect.anything() } })
  })
})

it('response validators are compiled if the precompiled document has none', async () => {
  const loaded = await loadContract(controlContract, { precompiled })
  const operation = loaded.ok ? loaded.value.operations.find(({ id }) => id === 'getHealth') : undefined
  expect(operation?.checkResponse(200, {})).not.toEqual([])
})

it.each(FIXTURE_FILES)('the precompiled fixtures for %s are identical to the parsed fixtures', async (name) => {
  const file = join(bundledFixtures, `${name}.yaml`)
  const [known, parsed] = [await readSource(file, precompiled), await readSource(file)]
  if (!known.ok || !parsed.ok) throw new Error(`${file} cannot be read`)
  expect(known.value.precompiled).toBeDefined()
  expect(known.value.value).toEqual(parsed.value.value)
})

/** Generates arbitrary values, parameter objects, and examples with one part replaced by an arbitrary value. */
function generateValues(examples: readonly (Json | undefined)[]): fc.Arbitrary<unknown> {
  const known = examples.filter((example) => example !== undefined)
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('7d', '30d', '14d', '5', 'true'))
  const changed = fc
    .tuple(fc.constantFrom(...known), fc.array(fc.nat(), { maxLength: 4 }), anything)
    .map(([example, path, part]) => replaceAt(structuredClone(example), path, part as Json)) // only JSON is generated
  const parameters = fc.dictionary(fc.constantFrom('modelId', 'period', 'sandbox', 'limit', 'id'), anything)
  return fc.oneof(changed, changed, parameters, anything)
}
