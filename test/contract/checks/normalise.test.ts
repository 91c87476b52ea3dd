import { describe, expect, test } from 'vitest'
import { contractOf, operationOf, SMALL } from '../documents.ts'

/** What `name` of the small document comes to be, and whether null and a text fit it. */
async function read(name: string) {
  const contract = await contractOf(
    SMALL.replace('name: { type: string }', `name: ${name}\n        other: { type: string }`),
  )
  const operation = operationOf(contract, 'listThings')
  const fits = (value: string | null) => operation.checkResponse(200, { name: value }).length === 0
  return { null: fits(null), ball: fits('ball'), bat: fits('bat'), warnings: contract.warnings.length }
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
    expect(await read(schema)).toEqual(expected)
  })

  test('is not looked for in examples, nor taken from a property of that name', async () => {
    const text = SMALL.replace('{ name: ball }', '{ name: ball, nullable: true }').replace(
      'name: { type: string }',
      'name: { type: string }\n        nullable: { type: boolean }',
    )
    const contract = await contractOf(text)
    expect(contract.warnings).toEqual([])
    expect(operationOf(contract, 'listThings').examples(200)).toEqual(
      [{ name: 'example', value: { name: 'ball', nullable: true } }].map((example) =>
        expect.objectContaining(example),
      ),
    )
  })
})
