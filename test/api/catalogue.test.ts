import { describe, expect, test } from 'vitest'
import type { ControlSchemas } from '../../src/client/transport.ts'
import { allOperations } from '../support/all-operations.ts'
import { inputs } from '../support/catalogue.ts'
import { callOperation, type TestResponse } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { readControl } from '../support/stored-records.ts'

const sim = sharedSimulator()

const readCatalogue = () => readControl<ControlSchemas['Catalogue']>(sim(), '/catalogue')

/** Describes a response as the catalogue does in `description`, with the headers that `description` names. */
function describeResponse(description: string, { status, headers, text }: TestResponse): string[] {
  const [head = '', body] = description.split(/, body (?=\{)/)
  if (body === undefined) return [description.replace(/^Status \d+/, `Status ${status}`)]
  const [, ...headerNames] = head.split(', ').map((part) => part.split(': ')[0] ?? '')
  const fields = headerNames.map((name) => `${name}: ${headers.get(name)}`)
  // The message of a 404 names the requested model, which the description cannot include.
  return [[`Status ${status}`, ...fields, `body ${status === 404 ? body : text}`].join(', ')]
}

describe('GET /__sim/catalogue', () => {
  test('lists the operations, and the keys, models and products in the fixtures', async () => {
    const body = await readCatalogue()
    const { keys, models, products } = inputs.fixtures
    expect(body).toMatchObject({ keys, models, products })
    expect(body.operations.map(({ id, servedBy }) => [id, servedBy])).toEqual(
      allOperations.map(({ id }) => [id, 'simulator']),
    )
  })

  test('shows the response that a client gets in each refusal scenario and each data scenario', async () => {
    const { scenarios } = await readCatalogue()
    for (const scenario of scenarios.filter(({ family }) => family === 'refusals' || family === 'data')) {
      const { name, example, operations, clientSees } = scenario
      const operation = allOperations.find(({ id }) => id === operations[0])
      if (!operation) throw new Error(`no operation for ${name}`)
      const response = await callOperation(sim(), operation, { headers: { 'x-sim-scenario': String(example) } })
      expect([name, ...describeResponse(String(clientSees), response)]).toEqual([name, clientSees])
    }
  })
})
