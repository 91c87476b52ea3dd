import { expect, test } from 'vitest'
import { contractOf, operationOf, SMALL } from './documents.ts'

test('a response of a status that is not documented has a violation that names the documented ones', async () => {
  const { checkResponse } = operationOf(await contractOf(SMALL), 'listThings')
  const message = 'the status 404 is not documented; documented are 200'
  expect(checkResponse(404, {})).toEqual([{ in: 'response', pointer: '', keyword: 'status', message }])
})
