import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import { success } from '../../../src/base/core/result.ts'
import { createPatch } from '../../../src/features/drift/patch/patch.ts'
import { redactTarget } from '../../../src/features/drift/probe/gather.ts'
import type { Contract } from '../../../src/service/contract/contract.ts'
import { contract, document, type GivenResponse, judge, load, thing, things, thingWithout, toSource } from './things.ts'

/** Proposes a patch. `patched`: the last contract that was tried, which has the whole patch if `left` is empty. */
async function proposePatch(
  responses: readonly GivenResponse[],
  judgePatched = (patched: Contract) => judge(patched, responses),
) {
  let patched = contract
  const patch = await createPatch(toSource(document), judge(contract, responses), async ({ value }) => {
    patched = await load(value as JsonObject)
    return success(judgePatched(patched))
  })
  if (!patch.ok) throw new Error(JSON.stringify(patch.error))
  return { ...patch.value, patched }
}

const item = (changes: JsonObject) => things(thing(changes))
const withHeader = (name: string, value: string | undefined): GivenResponse => ({
  headers: { [name]: value as never },
  body: { items: [] },
})

/** Responses and the expected findings: the kind, the field, the share of responses, and whether clients break. */
type Row = readonly [title: string, responses: readonly GivenResponse[], ...findings: readonly string[]]

const rows: readonly Row[] = [
  ['the documented shape', [things(thing()), things()]],
  ['a field missing in one response', [item({}), things(thingWithout('count'))], 'missing-field count 1/2 breaks'],
  [
    'a renamed field',
    [things({ ...thingWithout('count'), total: 4 })],
    ...['missing-field count 1/1 breaks', 'new-field total 1/1 breaks'],
  ],
  ['a new field in an open object', [item({ owner: { name: 'Ada', team: { id: 1 } } })], 'new-field owner/team 1/1'],
  ['a new name in a dictionary', [item({ tags: { new: 'x' } })]],
  ['a value of another type', [item({ count: 'one' })], 'wrong-type count 1/1 breaks'],
  ['a fraction in place of an integer', [item({ count: 1.5 })], 'wrong-type count 1/1 breaks'],
  ['a null in one of two responses', [item({}), things(thing(), thing({ note: null }))], 'null note 1/2 breaks'],
  ['a null instead of an enum value', [item({ level: null })], 'null level 1/1 breaks'],
  ['a null where null is allowed', [item({ owner: null })]],
  ['a null instead of a value with a referenced schema', [item({ id: null })], 'null id 1/1 breaks'],
  ['one new enum value', [item({ level: 'top' })], 'enum-value level 1/1 breaks'],
  ['two new enum values', [item({ level: 'top' }), item({ level: 'odd' })], 'enum-value level 2/2 breaks'],
  [
    'three new values, which make the enum open-ended',
    [things(thing({ level: 'a' }), thing({ level: 'b' })), item({ level: 'c' })],
    'no-enum level 2/2 breaks',
  ],
  ['an allowed value that the simulator never returns', [item({ mood: 'mixed' })], 'enum-value mood 1/1'],
  ['any text in a field without an enum', ['a', 'b', 'c', 'd'].map((note) => item({ note }))],
  ['a string in another format', [item({ id: '17' })], 'format id 1/1 breaks'],
  ['a number out of range', [item({ count: -1 })], 'constraint count 1/1 breaks'],
  ['an undocumented status', [{ status: 409, body: { error: 'taken' } }, item({})], 'undocumented-status  1/2 breaks'],
  ['a required header that is missing', [withHeader('x-total', undefined)], 'header  1/1 breaks'],
  ['a header of another type', [withHeader('x-total', 'many')], 'header  1/1 breaks'],
  ['another media type', [withHeader('content-type', 'application/problem+json')], 'content-type  1/1 breaks'],
]

describe('when responses are compared with the contract,', () => {
  const cases = rows.map(([title, responses, ...expected]) => ({ title, responses, expected }))
  test.each(cases)('$title causes the expected findings, which the patch removes', async ({ responses, expected }) => {
    const report = judge(contract, responses)
    const found = report.findings.map(
      ({ kind, pointer, seen, of, breaks }) =>
        `${kind} ${pointer.replace('/items/*/', '')} ${seen}/${of}${breaks ? ' breaks' : ''}`,
    )
    expect(found.sort()).toEqual(expected)
    expect(report.verdict).toBe(expected.length > 0 ? 'drift' : 'same')
    const { left, patched } = await proposePatch(responses)
    expect(left).toEqual([])
    // The patched contract still allows a response that conforms to the original contract.
    expect(judge(patched, [item({})]).findings).toEqual([])
  })

  test.each(['{"items": [', '{"items":[],"items":[]}', '\uFEFF{"items":[]}'])(
    'the broken body %j is reported, but no patch is proposed',
    async (body) => {
      const responses = [{ body }, things(thing())]
      const report = judge(contract, responses)
      expect(report.findings).toMatchObject([{ kind: 'broken-json', pointer: '', seen: 1, of: 2, breaks: true }])
      const left = [{ reason: expect.stringContaining('no contract can allow') }]
      expect(await proposePatch(responses)).toMatchObject({ overlay: undefined, left })
    },
  )

  test('a change that does not fix the difference is not proposed', async () => {
    const responses = [item({ level: 'top' })]
    const left = [{ reason: 'Changing the schema does not fix this difference.' }]
    expect(await proposePatch(responses, () => judge(contract, responses))).toMatchObject({ overlay: undefined, left })
  })

  test.each([
    ['a value that the simulator never returns', item({ mood: 'mixed' }), { isSimulated: true, settles: true }],
    ['a value that breaks the contract', item({ mood: 5 }), { isSimulated: false, settles: false }],
  ])('%s contradicts an assumption only if the assumption is about the broken rule', (_name, response, expected) => {
    const assumption = { pointer: '/components/schemas/Thing/properties/mood', text: 'The moods are not described.' }
    expect(judge(contract, [response]).findings).toMatchObject([{ ...expected, assumption }])
  })

  test.each([
    [{ accessToken: 'hunter2secret' }, '/items/*/accessToken', '"[redacted]"'],
    [{ secrets: ['hunter2secret'] }, '/items/*/secrets', '"[redacted]"'],
    [{ maxTokens: 4096 }, '/items/*/maxTokens', '4096'],
  ])('the new field %j is shown without credentials', (field, pointer, value) => {
    const { findings } = judge(contract, [item(field)])
    expect(findings).toMatchObject([{ kind: 'new-field', pointer, sample: { value } }])
    expect(JSON.stringify(findings[0]?.sample)).not.toContain('hunter2')
  })

  test('the message about a broken rule does not quote a credential', async () => {
    const text = JSON.stringify(document).replaceAll('"note":', '"apiKey":')
    const changed: JsonObject = JSON.parse(
      text.replace('"apiKey":{"type":"string"}', '"apiKey":{"type":"string","enum":["hunter1"]}'),
    )
    const { note: _, ...others } = thing()
    const { findings } = judge(await load(changed), [things({ ...others, apiKey: 'hunter2secret' })])
    expect(findings).toMatchObject([
      { kind: 'enum-value', message: expect.stringMatching(/; got \[redacted\]$/), values: ['[redacted]'] },
    ])
  })

  test('a query parameter that the contract declares as an API key is redacted when a request is shown', async () => {
    const securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'acme' } }
    const components = { ...(document['components'] as JsonObject), securitySchemes }
    const keyed = await load({ ...document, components })
    const [operation] = keyed.operations
    expect(operation && redactTarget(operation, '/v1/things?acme=my-secret&a=b')).toBe('/v1/things?acme=[redacted]&a=b')
  })

  test('a value that breaks a rule is not judged if the value is redacted in the recording', () => {
    const report = judge(contract, [things(thing({ id: '[redacted]' })), things(thing({}))])
    expect([report.verdict, report.findings]).toEqual(['not-judged', []])
    const sentence = expect.stringContaining('/items/*/id')
    expect(report.notJudged).toMatchObject([{ reason: 'unreadable', sentence, count: 1 }])
    expect(judge(contract, [things(thing({ note: '[redacted]' }))]).verdict).toBe('same')
  })

  test('a recording without successful responses is not judged', () => {
    expect(judge(contract, [])).toMatchObject({ verdict: 'not-judged', notJudged: [{ reason: 'too-few-samples' }] })
    expect(judge(contract, [{ status: 400, body: { error: 'no' } }]).verdict).toBe('not-judged')
  })
})
