import { expect, test } from 'vitest'
import { planProbes } from '../../../src/features/drift/probe/plan-probes.ts'
import { contractOf } from '../../service/contract/documents.ts'

const options = { ids: new Map(), canWrite: true, samples: 1, runId: '20260115T120000Z' }
const header = 'parameters: [{ name: X-Id, in: header, required: true, schema: { type: string } }]'
const listBody = 'requestBody: { required: true, content: { application/json: { example: [1] } } }'

test.each([
  ['a required header', 'get', header, /requires a header that probes do not send/],
  [
    'a body whose first example is a list',
    'post',
    listBody,
    /first example of the request body is missing or not a JSON/,
  ],
])('an operation with %s is not probed, and the reason is reported', async (_, method, part, reason) => {
  const responses = "responses: { '200': { description: ok } }"
  const paths = `paths: { /a: { ${method}: { operationId: a, ${part}, ${responses} } } }`
  const contract = await contractOf(`openapi: 3.1.0\ninfo: { title: A, version: '1' }\n${paths}\n`)
  const { probes, unplanned } = planProbes(contract, options)
  expect(probes).toEqual([])
  expect(unplanned).toEqual([{ operation: 'a', sentence: expect.stringMatching(reason) }])
})

test.each(['get', 'head', 'options', 'trace'])('probes may use the safe method %s without --writes', async (method) => {
  const paths = `paths: { /a: { ${method}: { responses: { '200': { description: ok } } } } }`
  const contract = await contractOf(`openapi: 3.1.0\ninfo: { title: A, version: '1' }\n${paths}\n`)
  expect(planProbes(contract, { ...options, canWrite: false }).probes).toHaveLength(1)
})
