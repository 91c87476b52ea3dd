import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameJson, type Json } from '../../../src/base/core/json.ts'
import { loadSchema } from '../../../src/base/documents/load-schema.ts'
import { compileSchema } from '../../../src/base/documents/schema.ts'
import { toViolations } from '../../../src/base/documents/violations.ts'
import { createMemoryStore } from '../../../src/state/open-store.ts'
import { exportSchema } from '../../../src/state/sandbox-export.ts'
import { context, event, exportSandbox, prompt } from '../../state/drafts.ts'
import { bundle } from '../../support/bundle.ts'
import { replaceAt } from '../../support/replace-at.ts'

test('compileSchema throws if the schema is invalid or causes a warning from ajv', () => {
  expect(() => compileSchema({ schema: { type: 'strange' }, name: 'keys' })).toThrow()
  const warning = /the schema of keys causes warnings: .*propertys/
  expect(() => compileSchema({ schema: { type: 'object', propertys: {} }, name: 'keys' })).toThrow(warning)
})

const checkUniqueItems = await loadSchema({ schema: { type: 'array', uniqueItems: true }, name: 'a test' })

test('the message about duplicates names the first two items that are the same', () => {
  expect(checkUniqueItems([1, { a: [1], b: 2 }, { b: 2, a: [1] }])).toMatchObject([
    { pointer: '', keyword: 'uniqueItems', message: 'must not contain duplicates; items 1 and 2 are the same' },
  ])
})

test('uniqueItems accepts a list if and only if no two items are the same JSON value', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 2 })), (list) => {
      const items = JSON.parse(JSON.stringify(list)) as Json[]
      const hasDuplicates = items.some((item, at) => items.slice(0, at).some((other) => isSameJson(other, item)))
      expect(checkUniqueItems(items).length > 0).toBe(hasDuplicates)
    }),
  )
})

const precompiled = bundle.precompiled().precompiled.schemas[exportSchema.name]

test('the precompiled validator for exports reports the same violations as a newly compiled validator', async () => {
  const exported = await createExport()
  const compiled = compileSchema(exportSchema).ajv.getSchema('published')
  expect(compiled?.(exported)).toBe(true)
  const changed = fc
    .tuple(fc.array(fc.nat(), { maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }))
    .map(([path, other]) => replaceAt(structuredClone(exported), path, other as Json)) // only JSON is generated
  fc.assert(
    fc.property(changed, (value) => {
      expect(precompiled?.(value)).toBe(compiled?.(value))
      expect(toViolations(precompiled?.errors, 'body')).toEqual(toViolations(compiled?.errors, 'body'))
    }),
    { numRuns: 1000 },
  )
})

test('a schema that is not precompiled is compiled', async () => {
  const check = await loadSchema({ name: 'a test', schema: { type: 'object' } })
  expect(check([])).toMatchObject([{ pointer: '', message: 'must be an object; got an empty array' }])
  expect(check({})).toEqual([])
})

/** Returns an export with records of all kinds. */
async function createExport(): Promise<Json> {
  const store = createMemoryStore()
  await store.recordEvent(context, event({ insertId: 'a' }))
  await store.recordEvent(context, event({ insertId: 'a' }))
  await store.addPromptVersion(context, prompt())
  await store.putQuality('default', { weight: 0.5 })
  return JSON.parse(JSON.stringify(await exportSandbox(store, 'default')))
}
