import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { migrate } from '../../src/state/file/format.ts'
import { jsonFault } from '../../src/state/file/json-fault.ts'
import { computeFingerprint, findVariables } from '../../src/state/prompts.ts'

describe('variables of a prompt', () => {
  test.each([
    ['Hello {{name}}', ['name']],
    ['{{ name }} and {{\tname\n}} again', ['name']],
    ['{{b}} {{a}} {{b}}', ['b', 'a']],
    ['{{user.name}} {{user.address.city}}', ['user.name', 'user.address.city']],
    ['{{{raw}}} {{& also }} {{~trimmed~}}', ['raw', 'also', 'trimmed']],
    ['{{größe}} {{snake_case}} {{kebab-case}} {{item1}}', ['größe', 'snake_case', 'kebab-case', 'item1']],
    ['{{#if a}}x{{else}}y{{/if}} {{! comment }} {{> partial}} {{helper argument}} {{this}}', []],
    ['\\{{escaped}} {single} {{}} {{ }} {{open', []],
    ['{{__proto__}} {{constructor}}', ['__proto__', 'constructor']],
  ])('%j has %j', (content, names) => {
    expect(findVariables([{ content }])).toEqual(names)
  })

  test('come from all components, in order', () => {
    expect(findVariables([{ content: '{{b}}' }, { content: '{{a}} {{b}}' }])).toEqual(['b', 'a'])
  })

  test.each(['{{', '{{ ', '{{a', '{{a.', '{{{&', ' '])(
    'are found in linear time in much of %j',
    { timeout: 5000 },
    (part) => {
      const long = [{ content: part.repeat(1_000_000) }, { content: `{{${part.slice(-1).repeat(1_000_000)}` }]
      expect(findVariables(long)).toEqual([])
    },
  )
})

describe('the fingerprint of a prompt', () => {
  test('is the same for components that mean the same, whatever the order of their fields', () => {
    expect(computeFingerprint([{ content: 'a', type: 'system' }])).toBe(
      computeFingerprint([{ type: 'system', content: 'a' }]),
    )
  })

  test('is another for other components, or for the same in another order', () => {
    const [a, b] = [{ content: 'a' }, { content: 'b' }]
    const prints = [[a], [b], [a, b], [b, a]].map(computeFingerprint)
    expect(new Set(prints).size).toBe(4)
  })
})

describe('the place where a text stops being JSON', () => {
  test.each([
    ['', 1, 1],
    ['{"a": 1', 1, 8],
    ['{\n  "a": x\n}', 2, 8],
    ['[1,\n2,]', 2, 3],
    ['{"a" 1}', 1, 6],
    ['{"a": 1,}', 1, 9],
    ['{a: 1}', 1, 2],
    ['[1 2]', 1, 4],
    ['[}', 1, 2],
    ['{} x', 1, 4],
    ['{"a": "cut of', 1, 7],
    ['\u0000\u0000', 1, 1],
  ])('%j breaks at %d:%d', (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(jsonFault(text)).toEqual({ line, column })
  })
})

describe('the format', () => {
  const kind = 'a kind'

  test('of today is taken as it is', () => {
    const document = { kind, format: 1, seq: 3 }
    expect(migrate(document, kind)).toEqual(document)
  })

  test.each([
    [{}, 'does not say "kind": "a kind"'],
    [{ kind: 'other', format: 1 }, 'is no file of ours'],
    [{ kind }, 'does not say its format'],
    [{ kind, format: '1' }, 'does not say its format'],
    [{ kind, format: 2 }, 'has format 2, and this version knows formats up to 1'],
    [{ kind, format: 0 }, 'has format 0, which this version cannot read'],
    [[], 'is no file of ours'],
    [null, 'is no file of ours'],
  ])('of %j is refused', (document, why) => {
    expect(() => migrate(document, kind)).toThrow(why)
  })

  test('of an older file goes through every step between, and says afterwards what it is', () => {
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
