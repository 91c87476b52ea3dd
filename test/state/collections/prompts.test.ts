import { describe, expect, test } from 'vitest'
import { computeFingerprint, findVariables } from '../../../src/state/collections/prompts.ts'
import { measureWork } from '../../support/processor-time.ts'

describe('the variables of a prompt', () => {
  test.each([
    ['Hello {{name}}', ['name']],
    ['{{ name }} and {{\tname\n}} again', ['name']],
    ['{{b}} {{a}} {{b}}', ['b', 'a']],
    ['{{user.name}} {{user.address.city}}', ['user.name', 'user.address.city']],
    ['{{{raw}}} {{& also }} {{~trimmed~}}', ['raw', 'also', 'trimmed']],
    ['\\{{{escaped}}} {{{{block}}}} {{real}}', ['real']],
    ['{{größe}} {{snake_case}} {{kebab-case}} {{item1}}', ['größe', 'snake_case', 'kebab-case', 'item1']],
    ['{{#if a}}x{{else}}y{{/if}} {{! comment }} {{> partial}} {{helper argument}} {{this}}', []],
    ['\\{{escaped}} {single} {{}} {{ }} {{open', []],
    ['{{__proto__}} {{constructor}}', ['__proto__', 'constructor']],
  ])('with the text %j are %j', (content, names) => {
    expect(findVariables([{ content }])).toEqual(names)
  })

  test('come from all components, in the order of their first appearance', () => {
    expect(findVariables([{ content: '{{b}}' }, { content: '{{a}} {{b}}' }])).toEqual(['b', 'a'])
  })

  test.each(['{{', '{{ ', '{{a', '{{a.', '{{{&', ' '])('are searched for in linear time in text full of %j', (part) => {
    const long = [{ content: part.repeat(1_000_000) }, { content: `{{${part.slice(-1).repeat(1_000_000)}` }]
    expect(measureWork(() => expect(findVariables(long)).toEqual([]))).toBeLessThan(5000)
  })
})

describe('the fingerprint of a prompt', () => {
  test('does not depend on the order of a component’s fields', () => {
    expect(computeFingerprint([{ content: 'a', type: 'system' }])).toBe(
      computeFingerprint([{ type: 'system', content: 'a' }]),
    )
  })

  test('depends on the components and on their order', () => {
    const [a, b] = [{ content: 'a' }, { content: 'b' }]
    const fingerprints = [[a], [b], [a, b], [b, a]].map(computeFingerprint)
    expect(new Set(fingerprints).size).toBe(4)
  })
})
