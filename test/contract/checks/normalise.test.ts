import { describe, expect, test } from 'vitest'
import { contractOf, operationOf, SMALL } from '../documents.ts'

/** Returns which values the property `name` of the small document accepts with this schema, and the number of warnings. */
async function readSchema(schema: string) {
  const contract = await contractOf(
    SMALL.replace('name: { type: string }', `name: ${schema}\n        other: { type: string }`),
  )
  const operation = operationOf(contract, 'listThings')
  const accepts = (value: string | null) => operation.checkResponse(200, { name: value }).length === 0
  return { null: accepts(null), ball: accepts('ball'), bat: accepts('bat'), warnings: contract.warnings.length }
}

describe('nullable: true', () => {
  test.each([
    ['{ type: string, nullable: true }', { null: true, ball: true, bat: true, warnings: 1 }],
    ['{ type: string, enum: [ball], nullable: true }', { null: true, ball: true, bat: false, warnings: 1 }],
    ['{ type: string, const: ball, nullable: true }', { null: true, ball: true, bat: false, warnings: 1 }],
    ['{ enum: [ball], nullable: true }', { null: true, ball: true, bat: false, warnings: 1 }],
    ['{ type: [string, "null"], nullable: true }', { null: true, ball: true, bat: true, warnings: 1 }],
    [
      '{ $ref: "#/components/schemas/Thing/properties/other", nullable: true }',
      { null: true, ball: true, bat: true, warnings: 1 },
    ],
    [
      '{ allOf: [{ type: string }, { type: string, pattern: "^b" }], nullable: true }',
      { null: true, ball: true, bat: true, warnings: 1 },
    ],
    ['{ type: string, nullable: false }', { null: false, ball: true, bat: true, warnings: 0 }],
  ])('in %s', async (schema, expected) => {
    expect(await readSchema(schema)).toEqual(expected)
  })

  test('in an example, or as the name of a property, causes no warning', async () => {
    const text = SMALL.replace('{ name: ball }', '{ name: ball, nullable: true }').replace(
      'name: { type: string }',
      'name: { type: string }\n        nullable: { type: boolean }',
    )
    const contract = await contractOf(text)
    expect(contract.warnings).toEqual([])
    expect(operationOf(contract, 'listThings').examples(200)).toEqual(
      [{ name: 'example', value: { name: 'ball', nullable: true } }].map((example) => expect.objectContaining(example)),
    )
  })
})
