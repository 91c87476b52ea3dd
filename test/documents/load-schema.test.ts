import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type Json } from '../../src/core/json.ts'
import { loadSchema } from '../../src/documents/load-schema.ts'
import type { PrecompiledFiles } from '../../src/documents/precompiled.ts'
import { compileDefinitions } from '../../src/documents/schema.ts'
import { toViolations } from '../../src/documents/violations.ts'
import { stateSchema } from '../../src/state/state-checks.ts'

const built: { precompiled: PrecompiledFiles } = await import(
  new URL('../../dist/precompiled.js', import.meta.url).href
)
const validators = built.precompiled.schemas[stateSchema.name] ?? {}

const definitions = ['', ...stateSchema.definitions]

test('the build has precompiled the schema of the state and its definitions', () => {
  expect(Object.keys(validators)).toEqual(definitions)
})

test('a precompiled validator reports the violations that the compiled one reports', async () => {
  const file = new URL('../state/file/format-1/', import.meta.url)
  const [state, log, exported] = await Promise.all(
    ['state.golden.json', 'journal.golden.jsonl', 'export.golden.json'].map((name) =>
      readFile(new URL(name, file), 'utf8'),
    ),
  )
  const entries = (log ?? '').trim().split('\n')
  const values: Json[] = [state ?? '', exported ?? '', ...entries].map((text) => JSON.parse(text))
  const { ajv, names } = compileDefinitions(stateSchema)
  const changed = fc
    .tuple(fc.constantFrom(...values), fc.array(fc.nat(), { maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }))
    .map(([value, path, other]) => exchange(structuredClone(value), path, other as Json)) // JSON by its making
  fc.assert(
    fc.property(fc.constantFrom(...definitions), changed, (definition, value) => {
      const compiled = ajv.getSchema(names.get(definition) ?? '')
      expect(validators[definition]?.(value)).toBe(compiled?.(value))
      expect(toViolations(validators[definition]?.errors, 'body')).toEqual(
        toViolations(compiled?.errors, 'body'),
      )
    }),
    { numRuns: 1000 },
  )
})

test('a schema that the build has not precompiled is compiled', async () => {
  const check = await loadSchema({
    name: 'a test',
    schema: { type: 'object', $defs: { name: { type: 'string' } } },
    definitions: ['name'],
  })
  expect(check([])).toMatchObject([{ pointer: '', message: 'must be an object; got an empty array' }])
  expect(check(1, 'name')).toMatchObject([{ message: 'must be a string; got 1 (a number)' }])
  expect(() => check(1, 'other')).toThrow('the schema of a test has no definition other')
})

/** Follows a path of member numbers, as far as there are members, and puts the other value there. */
function exchange(value: Json, [at, ...further]: readonly number[], other: Json): Json {
  const members = isObject(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : []
  const member = at === undefined ? undefined : members[at % members.length]
  if (member === undefined) return other
  const holder = value as Record<string | number, Json> // it has this member
  holder[member] = exchange(holder[member] ?? null, further, other)
  return value
}
