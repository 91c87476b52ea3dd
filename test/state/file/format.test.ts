import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { migrate } from '../../../src/state/file/format.ts'

describe('migrate', () => {
  const kind = 'a kind'

  test('returns a document of the current format unchanged', () => {
    const document = { kind, format: 2, seq: 3 }
    expect(migrate(document, kind)).toEqual(document)
  })

  test.each([
    [{}, 'does not say "kind": "a kind"'],
    [{ kind: 'other', format: 1 }, 'is no file of ours'],
    [{ kind }, 'does not say its format'],
    [{ kind, format: '1' }, 'does not say its format'],
    [{ kind, format: 3 }, 'has format 3, and this version knows formats up to 2'],
    [{ kind, format: 1, history: 'x' }, 'says format 1 and has members of a later format'],
    [{ kind, format: 0 }, 'has format 0, which this version cannot read'],
    [[], 'is no file of ours'],
    [null, 'is no file of ours'],
  ])('refuses %j', (document, message) => {
    expect(() => migrate(document, kind)).toThrow(message)
  })

  test('applies every step to an older document, and updates its format', () => {
    const steps = new Map(
      [1, 2].map(
        (from) => [from, (old: JsonObject): JsonObject => ({ ...old, [`step ${from}`]: true })] as const,
      ),
    )
    expect(migrate({ kind, format: 1, a: 0 }, kind, steps, 3)).toEqual({
      kind,
      format: 3,
      a: 0,
      'step 1': true,
      'step 2': true,
    })
  })
})
