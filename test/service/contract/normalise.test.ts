import { describe, expect, test } from 'vitest'
import { contractOf, operationOf, SMALL } from './documents.ts'

/** Returns the values that the property `name` of the small document accepts with a schema, and counts the warnings. */
async function readSchema(schema: string) {
  const more = `name: ${schema}\n        other: { type: string }`
  const contract = await contractOf(SMALL.replace('name: { type: string }', more))
  const { checkResponse } = operationOf(contract, 'listThings')
  const accepted = [null, 'ball', 'bat'].filter((name) => checkResponse(200, { name }).length === 0)
  return { accepted, warnings: contract.warnings.length }
}

describe('nullable: true', () => {
  const other = '#/components/schemas/Thing/properties/other'
  test.each([
    ['{ type: string, nullable: true }', [null, 'ball', 'bat'], 1],
    ['{ type: string, enum: [ball], nullable: true }', [null, 'ball'], 1],
    ['{ type: string, const: ball, nullable: true }', [null, 'ball'], 1],
    ['{ enum: [ball], nullable: true }', [null, 'ball'], 1],
    ['{ type: [string, "null"], nullable: true }', [null, 'ball', 'bat'], 1],
    [`{ $ref: "${other}", nullable: true }`, [null, 'ball', 'bat'], 1],
    ['{ allOf: [{ type: string }, { type: string, pattern: "^b" }], nullable: true }', [null, 'ball', 'bat'], 1],
    ['{ type: string, nullable: false }', ['ball', 'bat'], 0],
  ])('in %s accepts %j', async (schema, accepted, warnings) => {
    expect(await readSchema(schema)).toEqual({ accepted, warnings })
  })

  test('in an example, or as the name of a property, causes no warning', async () => {
    const schema = 'name: { type: string }'
    const text = SMALL.replace(schema, `${schema}\n        nullable: { type: boolean }`)
    const contract = await contractOf(text.replace('{ name: ball }', '{ name: ball, nullable: true }'))
    expect(contract.warnings).toEqual([])
    const example = { name: 'example', value: { name: 'ball', nullable: true } }
    expect(operationOf(contract, 'listThings').examples(200)).toMatchObject([example])
  })
})
