import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkFiles } from '../../../src/features/check/check.ts'
import { defaultSettings } from '../../../src/server/settings/settings.ts'
import { call } from '../../support/client.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest } from '../../support/start.ts'
import { type OnFinished, tempFile } from '../../support/temp-folder.ts'

const components = `components:
  schemas:
    Node:
      type: object
      required: [name, children]
      properties:
        name: { type: string }
        parent: &node { $ref: '#/components/schemas/Node' }
        children: { items: *node }
    List:
      required: [next]
      properties: { next: { anyOf: [{ $ref: '#/components/schemas/List' }, { type: 'null' }] } }
    Endless: { type: object, required: [next], properties: { next: { $ref: '#/components/schemas/Endless' } } }
    Cat: { type: object, required: [kind, lives], properties: { kind: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [kind, barks], properties: { kind: { type: string }, barks: { type: boolean } } }
`
const [cat, dog] = ["$ref: '#/components/schemas/Cat'", "$ref: '#/components/schemas/Dog'"]
const [text, integer] = ['{ type: string }', '{ type: integer }']
const ab = `properties: { a: ${text}, b: ${text} }`

/** Schemas for which a valid body is generated, some with the expected body. */
const solved: readonly (readonly [schema: string, expected?: unknown])[] = [
  ["type: string, pattern: '^(?=.*\\d)[a-z\\d]{4,8}$'"],
  ["type: string, pattern: '^[A-Z]{2}-\\d+$', maxLength: 4"],
  ["type: string, pattern: '^\\d+$', minLength: 12"],
  [`oneOf: [{ ${cat} }, { ${dog} }], discriminator: { propertyName: kind }`, { kind: 'Cat', lives: 0 }],
  [
    `oneOf: [{ ${cat} }, { ${dog} }], discriminator: { propertyName: kind, mapping: { kitty: Cat } }`,
    { kind: 'kitty', lives: 0 },
  ],
  ["anyOf: [{ type: 'null' }, { type: string, minLength: 9 }]", 'stringstr'],
  [`type: object, if: { required: [z], not: {} }, else: { required: [a], ${ab} }`, { a: expect.any(String) }],
  [`allOf: [{ type: object, properties: { c: {} }, additionalProperties: false }, { ${ab} }]`],
  [`type: object, ${ab}, maxProperties: 1`, { a: 'string' }],
  ["$ref: '#/components/schemas/Node'", { name: 'string', parent: {}, children: [{}] }],
  ["$ref: '#/components/schemas/List'"],
  ['type: string, default: null', expect.any(String)],
  ['properties: { age: { type: integer, example: old } }', { age: 1 }],
  [''],
  [`properties: { constructor: ${text}, toString: ${integer} }`, { constructor: 'string', toString: 0 }],
]

/** Schemas that no body matches, or for which a valid body is too large or too hard for the simulator to find. */
const unsolved = [
  'not: {}',
  "$ref: '#/components/schemas/Endless'",
  "allOf: [{ type: string, pattern: '^a' }, { pattern: 'b$' }]",
  'type: integer, minimum: 5, maximum: 4',
  `type: array, minItems: 100000000, items: ${text}`,
  `type: array, minItems: 1000, items: { type: array, minItems: 1000, items: ${text} }`,
  'type: string, minLength: 1000000000',
  'type: object, minProperties: 10000000',
]

function documentOf(schemas: readonly string[], onFinished?: OnFinished): Promise<string> {
  const paths = schemas.map((schema, index) => {
    const responses = `{ '200': { description: d, content: { application/json: { schema: { ${schema} } } } } }`
    return `  /${index}: { get: { operationId: get${index}, responses: ${responses} } }\n`
  })
  const head = 'openapi: 3.1.0\ninfo: { title: Schemas, version: 1.0.0 }\nservers: [{ url: /v1 }]\npaths:\n'
  return tempFile(head + paths.join('') + components, 'openapi.yaml', onFinished)
}

const all = [...solved.map(([schema]) => schema), ...unsolved]
const sim = sharedSimulator(async (onFinished) => ({ contract: await documentOf(all, onFinished) }))

test.each(solved.map(([schema, expected], index) => [schema, index, expected] as const))(
  'a body generated from a schema is valid and is the same each time: %s',
  async (_schema, index, expected) => {
    const [first, second] = [await call(sim(), `/v1/${index}`), await call(sim(), `/v1/${index}`)]
    expect(first.headers.get('x-sim-response-violations')).toBe(null)
    expect([first.status, second.text]).toEqual([200, first.text])
    if (expected !== undefined) expect({ body: first.body }).toMatchObject({ body: expected })
  },
)

test.each(unsolved.map((schema, index) => [schema, solved.length + index] as const))(
  'if no valid body is found, an invalid one is sent, and a header and one log message report its violations: %s',
  async (_schema, index) => {
    for (const _ of [1, 2]) {
      const { status, headers } = await call(sim(), `/v1/${index}`)
      expect([status, headers.get('x-sim-response-violations')]).toEqual([
        200,
        expect.stringMatching(/^\{"total":\d+,/),
      ])
    }
    const warnings = sim().logged.filter(
      ({ level, message }) => level === 'warn' && /does not match the schema/.test(message),
    )
    expect(warnings.filter(({ fields }) => JSON.stringify(fields).includes(`"get${index}"`))).toHaveLength(1)
  },
)

test('convsim check warns about each response for which no valid body is found, and gives the location', async () => {
  const [result] = await checkFiles([await documentOf(all)], defaultSettings())
  const warnings = result?.findings.filter(({ message }) => message.startsWith('no valid body could')) ?? []
  const found = warnings.map(({ message, severity, place }) => [/of (get\d+):/.exec(message)?.[1], severity, place])
  expect(found).toEqual(
    unsolved.map((_, index) => [`get${solved.length + index}`, 'warning', expect.stringMatching(/yaml:\d+:\d+$/)]),
  )
})

const { schema: randomSchema } = fc.letrec<{ schema: string; leaf: string }>((tie) => {
  const part = tie('schema').map((schema) => `{ ${schema} }`)
  const [low, high] = [fc.integer({ min: 0, max: 2 }), fc.integer({ min: 3, max: 6 })]
  const parts = (maxLength: number) => fc.array(part, { minLength: 1, maxLength }).map((list) => `[${list.join(', ')}]`)
  const names = fc.subarray(['a', 'b', 'c', 'd']).map((list) => `[${list.join(', ')}]`)
  const members = fc.tuple(part, part).map(([a, b]) => `{ a: ${a}, b: ${b} }`)
  const keywords = (type: string, values: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(values, { requiredKeys: [] }).map((record) => {
      return [`type: ${type}`, ...Object.entries(record).map(([name, value]) => `${name}: ${value}`)].join(', ')
    })
  const patterns = fc.constantFrom("'^a'", "'\\d'")
  const range = { minimum: low, maximum: high, exclusiveMinimum: low, multipleOf: fc.constantFrom(0.5, 3) }
  const leaf = fc.oneof(
    fc.constantFrom('', "type: 'null'", 'const: 1', 'enum: [a, 2]', cat, "$ref: '#/components/schemas/Node'"),
    fc.constantFrom('integer', 'number').chain((type) => keywords(type, range)),
    keywords('string', { minLength: low, maxLength: high, pattern: patterns }),
  )
  const object = { properties: members, required: names, additionalProperties: part, minProperties: low }
  const array = { items: part, prefixItems: parts(2), minItems: low, maxItems: high, contains: part }
  const schema = fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    keywords('object', { ...object, propertyNames: fc.constant('{ maxLength: 5 }') }),
    keywords('array', { ...array, uniqueItems: fc.boolean() }),
    ...['allOf', 'anyOf', 'oneOf'].map((name) => parts(3).map((list) => `${name}: ${list}`)),
    part.map((not) => `not: ${not}`),
    fc.tuple(part, part, part).map(([condition, then, other]) => `if: ${condition}, then: ${then}, else: ${other}`),
  )
  return { leaf, schema }
})

test('for random schemas, the status is always 200, and fewer than a third of the bodies have violations', async () => {
  const schemas = fc.sample(randomSchema, { seed: 50, numRuns: 300 })
  const randomSim = await startForTest({ contract: await documentOf(schemas) })
  const flagged: string[] = []
  for (const [index, schema] of schemas.entries()) {
    const { status, headers } = await call(randomSim, `/v1/${index}`)
    expect(status).toBe(200)
    if (headers.has('x-sim-response-violations')) flagged.push(schema)
  }
  expect(flagged.length).toBeLessThan(schemas.length / 3) // many random schemas contradict themselves
})

test('a schema that would take forever to check is reported, and the check ends', async ({ onTestFinished }) => {
  const levels = Array.from({ length: 40 }, (_, index) => {
    const next = `{ $ref: '#/components/schemas/A${index + 1}' }`
    return `    A${index}: { allOf: [${next}, ${next}] }\n`
  })
  const content = "{ application/json: { schema: { $ref: '#/components/schemas/A0' } } }"
  const document = `openapi: 3.1.0
info: { title: A, version: '1' }
paths: { /a: { get: { responses: { '200': { description: A, content: ${content} } } } } }
components:
  schemas:
${levels.join('')}    A40: { type: object }
`
  const file = await tempFile(document, 'openapi.yaml', onTestFinished)
  const [result] = await checkFiles([file], defaultSettings())
  expect(JSON.stringify(result)).toContain('cannot be checked')
})
