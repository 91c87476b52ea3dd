import { expect, test } from 'vitest'
import { checkOperations, findLimits } from '../../../src/server/simulator/check-operations.ts'
import { loadContract } from '../../../src/service/contract/load.ts'
import { contractOf, SMALL } from '../../service/contract/documents.ts'
import { inputs } from '../../support/catalogue.ts'
import { documentWith } from '../../support/documents.ts'

test('the operations of the bundled document have the shape that their handlers expect', () => {
  expect([checkOperations(inputs.contract, inputs.fixtures), findLimits(inputs.contract)]).toEqual([[], []])
})

test('a period that is no number of days is found', async () => {
  const loaded = await loadContract(await documentWith('[7d, 30d, 90d]', '[7d, 30d, 90d, 24h, all]'))
  const message = 'the periods 24h, all are no number of days, such as 14d: they get 30 days'
  expect(loaded.ok && findLimits(loaded.value)).toMatchObject([{ severity: 'warning', message }])
})

test.each([
  ['default', '', 'warning', /400, 401, 413, 415\. Add an example for 400, 401, 413, 415/],
  ["'4XX'", '', 'warning', /400, 401, 413, 415\. Add an example/],
  ["'404'", '', 'warning', /for 404\. Add an example for 404/],
  ["'404'", ', example: { code: gone }', 'info', /for 404\. Their examples are sent instead$/],
])(
  'a refusal of another shape than that of the simulator is found: %s%s',
  async (status, example, severity, message) => {
    const schema = '{ type: object, required: [code] }'
    const response = `${status}: { description: No., content: { application/json: { schema: ${schema}${example} } } }`
    const contract = await contractOf(SMALL.replace("        '200':", (found) => `        ${response}\n${found}`))
    expect(findLimits(contract)).toEqual([{ severity, place: 'doc.yaml', message: expect.stringMatching(message) }])
  },
)
