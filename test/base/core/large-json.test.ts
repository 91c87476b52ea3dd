import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/base/core/json.ts'
import {
  describeSyntaxError,
  JsonReader,
  maxRecordLength,
  maxRecordValues,
} from '../../../src/base/core/json-syntax.ts'
import { maxLargeValues, readLargeJson } from '../../../src/base/core/strict-json.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readLargeJson(encode(text))

/** Returns the pointer and message of a refusal, such as `/events/1 must not ...`, or `none` if there is no refusal. */
const refusalOf = async (text: string) => {
  const outcome = await read(text)
  return outcome.ok ? 'none' : `${outcome.error.pointer} ${outcome.error.message}`
}

/** JSON with at most one character removed, added or replaced. */
const damaged = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.nat(), fc.constantFrom('', ...' {}[],:"\\\n-+.0e1tfn\u0000ü'))
  .map(([value, at, character]) => {
    const text = JSON.stringify(value, null, at % 3)
    const index = at % (text.length + 1)
    return text.slice(0, index) + character + text.slice(index + (at % 2))
  })

const tokens = [' ', ...'{ } [ ] , : "a" "\\u00e9" " \\ 1 -0.5e3 true nul \u0001'.split(' ')]
const mixed = fc.array(fc.constantFrom(...tokens), { maxLength: 12 }).map((all) => all.join(''))

test('readLargeJson and JSON.parse agree on which text is JSON, and on its value', async () => {
  const texts = fc.oneof(damaged, mixed, fc.json({ maxDepth: 8 }), fc.constantFrom('', ' ', '[-0]'))
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const large = await read(text)
      const value = parseJson(text)
      if (large.ok) expect(large.value).toEqual(value)
      else if (large.error.message.startsWith('must be JSON')) expect(value).toBeUndefined()
      // For valid JSON, the description says that nothing more is expected.
      expect(/^it ends .* nothing more /.test(describeSyntaxError(text))).toBe(value !== undefined)
    }),
    { numRuns: 2000 },
  )
})

test('readLargeJson refuses bytes that are not UTF-8', async () => {
  expect((await readLargeJson(new Uint8Array([0x22, 0xff, 0x22]))).ok).toBe(false)
})

test('a refusal names the line and column of a syntax error', async () => {
  expect(await refusalOf('{"a":\n  [1,\n }')).toBe(' must be JSON: line 3, column 2 has "}", where a value is expected')
})

describe('readLargeJson limits', () => {
  const values = (count: number) => `[${new Array(count).fill(0).join()}]`

  test('the number of members and items per record', async () => {
    const record = `{"fields":${values(maxRecordValues / 2)}}`
    expect((await read(`{"events":[${record},${record},${record}]}`)).ok).toBe(true)
    const large = values(maxRecordValues)
    const refused = await refusalOf(`{"events":[{},{"fields":${large}}]}`)
    expect(refused).toBe('/events/1 must not have more than 40000 members and items')
    expect(await refusalOf(`{"a":${'{"b":'.repeat(3)}${large}}}}}`)).toMatch(/^\/a\/b /)
  })

  test('the number of characters per record and per string', async () => {
    const half = `"${'x'.repeat(maxRecordLength / 4)}"`
    expect((await read(`{"events":[{"a":${half},"b":${half}},{"a":${half},"b":${half}}]}`)).ok).toBe(true)
    const longRecord = await refusalOf(`{"events":[{},[${half},${half},${half},${half}]]}`)
    expect(longRecord).toBe('/events/1 must not have more than 4194304 characters')
    const longText = await refusalOf(`{"events":[{"a":"${'\\"'.repeat(2_200_000)}"}]}`)
    expect(longText).toBe('/events/0/a must not have more than 2097152 characters')
    expect(await refusalOf('\n'.repeat(maxRecordLength + 1))).toMatch(/^ must/)
  })

  test('the total number of members and items', async () => {
    const refused = await refusalOf(`{"events":${values(maxLargeValues + 1)}}`)
    expect(refused).toBe(' must not have more than 2000000 members and items in total')
  })
})

test('in large JSON, JsonReader yields before every value, so that reading a long list can pause', () => {
  expect([...new JsonReader('{"events":[1,2,[3]]}', 100, true).read()]).toHaveLength(6)
})
