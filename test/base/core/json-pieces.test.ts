import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonPieces } from '../../../src/base/core/json.ts'

async function piecesOf(value: unknown): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value)) pieces.push(piece)
  return pieces
}

test('the pieces of a value are its JSON', async () => {
  const c = fc.array(fc.dictionary(fc.string(), fc.jsonValue()))
  const records = fc.array(fc.record({ a: fc.jsonValue(), b: fc.constant(undefined), c }))
  const value = fc.oneof(fc.jsonValue(), records, fc.record({ records, other: fc.jsonValue() }))
  await fc.assert(
    fc.asyncProperty(value, async (json) => {
      expect((await piecesOf(json)).join('')).toBe(JSON.stringify(json))
    }),
    { numRuns: 100 },
  )
})

test('a piece has one event, or one version of a prompt', async () => {
  const events = [{ fields: { a: [1, 2] } }, { fields: {} }]
  const prompts = [{ promptId: 'p', versions: [{ fields: { components: [{ content: 'c' }] } }, { fields: {} }] }]
  const pieces = await piecesOf({ format: 1, events, prompts })
  for (const record of [...events, ...(prompts[0]?.versions ?? [])]) expect(pieces).toContain(JSON.stringify(record))
})
