import { describe, expect, test } from 'vitest'
import { describeParameter } from '../../src/scenarios/client-view.ts'
import { nullableFields } from '../../src/scenarios/data.ts'
import { families } from '../../src/scenarios/definition.ts'
import { type Parameter, readValues } from '../../src/scenarios/parameters.ts'
import { standardHeaders } from '../../src/scenarios/refusals.ts'
import { inputs } from '../support/catalogue.ts'

const { catalogue, contract } = inputs

test('every scenario has a family, and is found by its name', () => {
  for (const entry of catalogue.definitions) {
    expect(families).toContain(entry.family)
    expect(catalogue.find(entry.name)).toBe(entry)
  }
})

test.each(
  catalogue.definitions.flatMap(({ name, parameters }) => parameters.map((parameter) => ({ name, parameter }))),
)('$name takes $parameter.name within its range, and its default is one of them', ({ parameter }) => {
  expect(parameter.description).toMatch(/^[A-Z].*\.$/)
  // The longest delay depends on how delays are spread.
  if (parameter.default === undefined)
    return expect(parameter.name === 'max' || ['names', 'text'].includes(parameter.type)).toBe(true)
  const read = readValues([parameter], new Map([[parameter.name, String(parameter.default)]]))
  expect(read).toEqual({ ok: true, value: { [parameter.name]: parameter.default } })
})

test('the names of object methods are no scenarios', () => {
  for (const name of ['constructor', '__proto__', 'toString']) expect(catalogue.find(name)).toBeUndefined()
})

test('what may be null is taken from the document: 18 fields, and 5 in data points', () => {
  const fields = nullableFields(contract, ['getModelAnalytics'])
  expect(fields.filter((field) => !field.includes('.')).length).toBe(18)
  expect(fields.filter((field) => field.startsWith('dataPoints.')).length).toBe(5)
  expect(fields.length).toBe(23)
})

test('a status has the headers that its refusal has by default', () => {
  expect(standardHeaders(401)).toEqual({ 'WWW-Authenticate': 'Bearer' })
  expect(standardHeaders(429)).toMatchObject({ 'Retry-After': '1', 'retry-after-ms': '1000' })
  expect(standardHeaders(200)).toEqual({})
})

describe('parameters', () => {
  const bounds = { minimum: 0, maximum: 10, description: 'How long.' }
  const seconds: Parameter = { ...bounds, name: 'seconds', type: 'integer', default: 1, unit: 's' }
  const names: Parameter = { name: 'names', type: 'names', required: true, description: 'Which.' }

  test('of names are separated by bars, commas or spaces', () => {
    expect(readValues([names], new Map([['names', 'a|b c,d']]))).toEqual({
      ok: true,
      value: { names: ['a', 'b', 'c', 'd'] },
    })
  })

  test('that nobody knows are refused with those that there are', () => {
    expect(readValues([seconds, names], new Map([['x', '1']]))).toEqual({
      ok: false,
      error: 'has no parameter "x"; it takes: seconds, names',
    })
  })

  test('that must be given are asked for', () => {
    expect(readValues([names], new Map())).toMatchObject({ ok: false, error: expect.stringContaining('"names"') })
  })

  test('are described with default and unit', () => {
    expect(describeParameter(seconds)).toBe('seconds=1 (s): How long.')
    expect(describeParameter(names)).toBe('names: Which.')
  })
})
