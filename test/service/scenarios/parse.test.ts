import { describe, expect, test } from 'vitest'
import { parseScenarios, parseSequence } from '../../../src/service/scenarios/parse.ts'
import { inputs } from '../../support/catalogue.ts'

const { catalogue } = inputs

const parse = (text: string) => {
  const parsed = parseScenarios(text, catalogue)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value.map(({ definition, values, text: written }) => ({ name: definition.name, values, written }))
}

describe('a list of scenarios', () => {
  const slow = { name: 'slow', values: { ms: 5, distribution: 'fixed', sigma: 0.5, p: 1 }, written: 'slow;ms=5' }
  const limited = (seconds: number, written: string) => {
    return { name: 'rate-limited', values: { 'retry-after': seconds, limit: 60, p: 1 }, written }
  }
  const fields = ['averageStruggle', 'dataPoints.avgGrowthScore']
  const nullsOf = (written: string) => [{ name: 'null', values: { fields, p: 1 }, written }]

  test.each([
    ['', []],
    ['  ', []],
    ['forbidden', [{ name: 'forbidden', values: { p: 1 }, written: 'forbidden' }]],
    ['rate-limited', [limited(1, 'rate-limited')]],
    [' rate-limited ; retry-after = 3 ,slow;ms=5', [limited(3, 'rate-limited ; retry-after = 3'), slow]],
    [`null;fields="${fields}"`, nullsOf(`null;fields="${fields}"`)],
    [`null;fields=${fields.join('|')}`, nullsOf(`null;fields=${fields.join('|')}`)],
  ])('%j is parsed', (text, expected) => {
    expect(parse(text)).toEqual(expected)
  })

  test.each([
    [',', /empty item.*comma/],
    ['429, 200,', /empty item/],
    ['429;', /empty parameter.*semicolon/],
    [';429', /empty parameter/],
    ['429;retry-after=1;retry-after=2', /"429" has the parameter "retry-after" twice/],
    ['429;retry-after=1; 200', /"200" of the scenario "429" must have the form name=value\. To start another/],
    ['null;fields=recommendations|', /expects "fields" to be a list of names, separated by/],
    ['null;fields="recommendations,,avgSafetyScore"', /expects "fields" to be a list of names, separated by/],
    ['429;retry-after="1', /quotation mark.*not closed/],
    ['rate-limit', /Unknown scenario "rate-limit"\. Did you mean "rate-limited"\? For the full list, run/],
    ['429*2, 200', /^"429\*2" is an item of a sequence.*X-Sim-Sequence, or set it as "sequence" in a rule/],
    ['429;retry-after=1*2', /^"429;retry-after=1\*2" is an item of a sequence/],
    ['drop-field;pointer=', /^The scenario "drop-field"/],
    ['null', /^The scenario "null" needs the parameter "fields": [^"]*"\|", e\.g\. \S+Score\.$/],
    ['null;fields=recomendations', /does not apply to the field "recomendations"\. Did you mean "recommendations"\?/],
    ['constructor', /Unknown scenario "constructor"\. For the full list/],
    ['Forbiden', /Did you mean "forbidden"\?/],
    ['nonsense', /Unknown scenario "nonsense"\. For the full list, .* or call GET \/__sim\/catalogue\.$/],
    ['399', /Unknown scenario "399"\. Documented statuses: 200, 201, 400, [\d, ]+; any 4xx or 5xx status works\.$/],
    ['429;retry_after=1', /has no parameter "retry_after" \(did you mean "retry-after"\?\); it takes: retry-after, /],
  ])('%j is refused', (text, words) => {
    expect(parseScenarios(text, catalogue)).toEqual({ ok: false, error: expect.stringMatching(words) })
  })
})

describe('a sequence', () => {
  const form = 'An item is a scenario with its parameters, optionally followed by "*" and a count from 1 to 999999.'
  const invalidItems = ['429*x', '429*2; 200', '429*', '429*0', '429*1000000', '*2', '429*2*3', '429|200', '429 200']

  test.each(invalidItems)('with the invalid item %j is refused', (item) => {
    const error = expect.stringContaining(`"${item}" is not an item of a sequence. ${form}`)
    expect(parseSequence(`${item}, 200`, catalogue)).toEqual({ ok: false, error })
  })

  test.each([
    ['429;retry-after=1*2*2', /expects "retry-after" to be/],
    ['429*2,, 200', /empty item/],
    ['429*2, 20', /Unknown scenario "20"\. Documented statuses: 200, /],
  ])('%j is refused with a specific message', (text, words) => {
    expect(parseSequence(text, catalogue)).toEqual({ ok: false, error: expect.stringMatching(words) })
  })

  test('can contain a JSON Pointer with an asterisk, which is not taken for the start of a count', () => {
    const parsed = parseSequence('drop-field;pointer=/dataPoints/*/date, 200', catalogue)
    expect(parsed.ok && parsed.value.items.map(({ times }) => times)).toEqual([1, 1])
  })
})
