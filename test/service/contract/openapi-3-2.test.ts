import { expect, test } from 'vitest'
import { contractOf, findingsOf, operationOf, SMALL } from './documents.ts'

const document = SMALL.replace('openapi: 3.1.0', 'openapi: 3.2.0')
const note = '1:1 info is OpenAPI 3.2, and served as 3.1: of what 3.2 adds, only "dataValue" of examples is used'

test('a document of OpenAPI 3.2 is served as one of 3.1, and the findings say so', async () => {
  expect(await findingsOf(document)).toEqual([note])
  const operation = operationOf(await contractOf(document), 'listThings')
  expect(operation.checkResponse(200, {})).toMatchObject([{ pointer: '/name', keyword: 'required' }])
})

test('a fault of a 3.2 document names its version', async () => {
  const finding = '2:1 error is not valid OpenAPI 3.2: /info/version is required'
  expect(await findingsOf(document.replace(', version: 1.0.0', ''))).toContain(finding)
})

test('the dataValue of an example is its value', async () => {
  const text = document.replace('example: { name: ball }', 'examples: { a: { dataValue: { name: ball } } }')
  expect(await findingsOf(text)).toEqual([note])
  const operation = operationOf(await contractOf(text), 'listThings')
  expect(operation.examples(200)).toMatchObject([{ name: 'a', value: { name: 'ball' } }])
  expect((await findingsOf(text.replace('ball', '4'))).join()).toContain('the example "a" does not fit')
})
