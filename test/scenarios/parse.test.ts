import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseScenarios, splitOutsideQuotes } from '../../src/scenarios/parse.ts'
import { inputs } from '../support/catalogue.ts'

const { catalogue } = inputs

const parse = (text: string) => {
  const parsed = parseScenarios(text, catalogue)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value.map(({ definition, values, text: written }) => ({
    name: definition.name,
    values,
    written,
  }))
}

describe('a list of scenarios', () => {
  test.each([
    ['', []],
    ['  ', []],
    [',', []],
    ['forbidden', [{ name: 'forbidden', values: { p: 1 }, written: 'forbidden' }]],
    [
      'rate-limited',
      [{ name: 'rate-limited', values: { 'retry-after': 1, limit: 60, p: 1 }, written: 'rate-limited' }],
    ],
    [
      ' rate-limited ; retry-after = 3 ,slow;ms=5,',
      [
        {
          name: 'rate-limited',
          values: { 'retry-after': 3, limit: 60, p: 1 },
          written: 'rate-limited ; retry-after = 3',
        },
        { name: 'slow', values: { ms: 5, distribution: 'fixed', sigma: 0.5, p: 1 }, written: 'slow;ms=5' },
      ],
    ],
    [
      'null;fields="recommendations,avgSafetyScore"',
      [
        {
          name: 'null',
          values: { fields: ['recommendations', 'avgSafetyScore'], p: 1 },
          written: 'null;fields="recommendations,avgSafetyScore"',
        },
      ],
    ],
    [
      'null;fields=a|b'.replace('a|b', 'averageStruggle|dataPoints.avgGrowthScore'),
      [
        {
          name: 'null',
          values: { fields: ['averageStruggle', 'dataPoints.avgGrowthScore'], p: 1 },
          written: 'null;fields=averageStruggle|dataPoints.avgGrowthScore',
        },
      ],
    ],
  ])('%j', (text, expected) => {
    expect(parse(text)).toEqual(expected)
  })

  test('never throws, and a refusal always has a sentence', () => {
    const pieces = fc.constantFrom(
      'forbidden',
      'rate-limited',
      'null',
      ';',
      ',',
      '=',
      '"',
      ' ',
      'retry-after',
      '3',
      'fields',
      'x',
      '|',
      'é',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const parsed = parseScenarios(parts.join(''), catalogue)
        expect(parsed.ok || parsed.error.length > 10).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('splitOutsideQuotes', () => {
  test.each([
    ['a,b', ['a', 'b']],
    [' a , , b ', ['a', 'b']],
    ['"a,b",c', ['"a,b"', 'c']],
    ['a;x="1,2",b', ['a;x="1,2"', 'b']],
    ['"a,b', ['"a,b']],
    ['', []],
  ])('%j', (text, parts) => {
    expect(splitOutsideQuotes(text, ',')).toEqual(parts)
  })
})
