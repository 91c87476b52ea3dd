import { expect, test } from 'vitest'
import schema from '../../../spec/export.schema.json' with { type: 'json' }
import { collections } from '../../../src/state/collections/index.ts'

test('the schema of exports lists every collection', () => {
  const { format, quality, ...lists } = schema.properties
  expect(Object.keys(lists)).toEqual(collections.map(({ name }) => name))
  for (const list of Object.values(lists)) expect(list).toMatchObject({ items: { $ref: expect.any(String) } })
})
