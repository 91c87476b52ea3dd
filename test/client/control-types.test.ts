import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { controlTypesFile, controlTypesHeading } from '../support/control-types.ts'

test('the types of the control plane are generated from its present document', async () => {
  const text = await readFile(controlTypesFile, 'utf8')
  expect(text.startsWith(await controlTypesHeading()), 'run `npm run generate`').toBe(true)
})
