import { expect, test } from 'vitest'
import { compileSchema } from '../../src/documents/schema.ts'

test('compileSchema throws for a schema of ours that is invalid or that ajv warns about', () => {
  expect(() => compileSchema({ type: 'strange' }, 'keys')).toThrow()
  expect(() => compileSchema({ type: 'object', propertys: {} }, 'keys')).toThrow(
    /the schema of keys causes warnings: .*propertys/,
  )
})
