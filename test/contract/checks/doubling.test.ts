import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { contractOf, findingsOf, operationOf, SMALL } from '../documents.ts'

const ref = { $ref: '#/components/schemas/Node' }
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Returns the small document with further schemas, of which the response has the first. */
function documentWith(schemas: Readonly<Record<string, JsonObject>>): string {
  const lines = Object.entries(schemas).map(([name, schema]) => `    ${name}: ${JSON.stringify(schema)}\n`)
  const [first = ''] = Object.keys(schemas)
  return SMALL.replace('schemas/Thing', `schemas/${first}`).replace(/ +example:.*\n/, '') + lines.join('')
}

/** Returns the findings about a document without those of ajv about schemas that name no type. */
async function findingsAbout(document: string): Promise<string[]> {
  const findings = await findingsOf(document, { structure: false })
  return findings.filter((finding) => !finding.includes('strict mode'))
}

const member = (name: string, schema: JsonObject = ref): JsonObject => ({ properties: { [name]: schema } })

/** Schemas whose checks take twice as long for each level, and a value of as many levels as wanted. */
const doubling: [string, Record<string, JsonObject>, (inner: Json) => Json][] = [
  ['two parts of allOf', { Node: { allOf: [member('a'), member('a')] } }, (a) => ({ a })],
  [
    'alternatives with the same member, as of an expression',
    { Node: { oneOf: [refTo('Add'), refTo('Not')] }, Add: member('left'), Not: member('left') },
    (left) => ({ left }),
  ],
  [
    'a member beside a reference',
    { Node: { ...refTo('Other'), ...member('a') }, Other: member('a') },
    (a) => ({ a }),
  ],
  [
    'two ways to the same schema',
    {
      Node: { allOf: [refTo('B'), refTo('C')] },
      B: { allOf: [refTo('D')] },
      C: { allOf: [refTo('D')] },
      D: member('a'),
    },
    (a) => ({ a }),
  ],
  [
    'a member and any member',
    { Node: { allOf: [member('a'), { additionalProperties: ref }] } },
    (a) => ({ a }),
  ],
  [
    'a member and its pattern',
    { Node: { ...member('a'), patternProperties: { '^a': ref } } },
    (a) => ({ a }),
  ],
  ['items in two ways', { Node: { items: ref, contains: ref } }, (item) => [item]],
  ['an item and any item', { Node: { allOf: [{ items: ref }], prefixItems: [ref] } }, (item) => [item]],
]

const nested = (wrap: (inner: Json) => Json, levels: number): Json =>
  levels === 0 ? wrap({}) : wrap(nested(wrap, levels - 1))

describe('a schema that applies itself twice to the same part of a value', () => {
  test.each(doubling)('by %s is a warning with its place', async (_, schemas) => {
    const findings = await findingsAbout(documentWith(schemas))
    expect(findings).toEqual([
      expect.stringMatching(/^\d+:\d+ warning applies itself more than once to the same part/),
    ])
  })

  test.each(doubling)('by %s refuses a value of 60 levels in bounded time', async (_, schemas, wrap) => {
    const { checkResponse } = operationOf(await contractOf(documentWith(schemas)), 'listThings')
    expect(checkResponse(200, nested(wrap, 60))).toMatchObject([
      { keyword: 'timeout', message: expect.stringContaining('fewer levels') },
    ])
    expect(checkResponse(200, nested(wrap, 2)).filter(({ keyword }) => keyword === 'timeout')).toEqual([])
  })
})

test.each<[string, Record<string, JsonObject>]>([
  ['different members', { Node: { properties: { left: ref, right: ref, other: { items: ref } } } }],
  [
    'a member and all others',
    { Node: { ...member('a'), patternProperties: { '^x': {} }, additionalProperties: ref } },
  ],
  ['the first item and all others', { Node: { prefixItems: [ref], items: ref } }],
  ['null as an alternative', { Node: member('a', { anyOf: [ref, { type: 'null' }] }) }],
  [
    'a base that contains itself',
    { Node: { allOf: [refTo('Base'), member('a')] }, Base: member('a', refTo('Base')) },
  ],
])('a schema that contains itself once in each part is accepted: %s', async (_, schemas) => {
  expect(await findingsAbout(documentWith(schemas))).toEqual([])
})
