import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { loadSchema } from '../../src/documents/load-schema.ts'
import type { PrecompiledFiles } from '../../src/documents/precompiled.ts'
import { compileDefinitions } from '../../src/documents/schema.ts'
import { toViolations } from '../../src/documents/violations.ts'
import { logPathOf } from '../../src/state/file/state-file.ts'
import { stateSchema } from '../../src/state/state-checks.ts'
import { context, event, importDocument, prompt } from '../state/drafts.ts'
import { openOrFail, statePath } from '../state/file/open-file.ts'
import { replaceAt } from '../support/replace-at.ts'

const built: { precompiled: PrecompiledFiles } = await import(
  new URL('../../dist/precompiled.js', import.meta.url).href
)
const validators = built.precompiled.schemas[stateSchema.name] ?? {}

const definitions = ['', ...stateSchema.definitions]

test('the build has precompiled the schema of the state and its definitions', () => {
  expect(Object.keys(validators)).toEqual(definitions)
})

test('a precompiled validator reports the violations that the compiled one reports', async () => {
  const values = await writeStates()
  const { ajv, names } = compileDefinitions(stateSchema)
  const changed = fc
    .tuple(fc.constantFrom(...values), fc.array(fc.nat(), { maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }))
    .map(([value, path, other]) => replaceAt(structuredClone(value), path, other as Json)) // JSON by its making
  fc.assert(
    fc.property(fc.constantFrom(...definitions), changed, (definition, value) => {
      const compiled = ajv.getSchema(names.get(definition) ?? '')
      expect(validators[definition]?.(value)).toBe(compiled?.(value))
      expect(toViolations(validators[definition]?.errors, 'body')).toEqual(toViolations(compiled?.errors, 'body'))
    }),
    { numRuns: 1000 },
  )
})

test('a schema that the build has not precompiled is compiled', async () => {
  const schema = { type: 'object', $defs: { name: { type: 'string' } } }
  const check = await loadSchema({ name: 'a test', schema, definitions: ['name'] })
  expect(check([])).toMatchObject([{ pointer: '', message: 'must be an object; got an empty array' }])
  expect(check(1, 'name')).toMatchObject([{ message: 'must be a string; got 1 (a number)' }])
  expect(() => check(1, 'other')).toThrow('the schema of a test has no definition other')
})

/** Returns the state file, the entries of its log and the export of a store with records of all kinds. */
async function writeStates(): Promise<Json[]> {
  const path = statePath()
  const { store } = await openOrFail(path)
  await store.recordEvent(context, event({ insertId: 'a' }))
  await store.recordEvent(context, event({ insertId: 'a' }))
  const { promptId, version } = await store.addPromptVersion(context, prompt())
  await store.activateVersion('default', promptId, version.versionId)
  await store.putQuality('default', { weight: 0.5 })
  const { snapshotId } = await store.createSnapshot(context, 'one')
  await store.restoreSnapshot('default', snapshotId)
  const exported = await store.exportSandbox('default')
  await importDocument(store, 'other', structuredClone(exported))
  const entries = (await readFile(logPathOf(path), 'utf8')).trim().split('\n')
  await store.close()
  const texts = [await readFile(path, 'utf8'), JSON.stringify(exported), ...entries]
  return texts.map((text): Json => JSON.parse(text))
}
