import { describe, expect, test } from 'vitest'
import { describeParameter } from '../../src/scenarios/client-view.ts'
import { nullableFields } from '../../src/scenarios/data.ts'
import { families } from '../../src/scenarios/definition.ts'
import { type Parameter, readValues } from '../../src/scenarios/parameters.ts'
import { parseScenarios } from '../../src/scenarios/parse.ts'
import { standardHeaders } from '../../src/scenarios/refusals.ts'
import { activate, inputs, scenarioText } from '../support/catalogue.ts'

const { catalogue, contract } = inputs

describe('every entry of the catalogue', () => {
  test.each(catalogue.definitions)('$name has a name to type, a sentence, and makes sense somewhere', (entry) => {
    expect(entry.name).toMatch(/^[a-z0-9][a-z0-9_-]*$/)
    expect(families).toContain(entry.family)
    expect(entry.description).toMatch(/^[A-Z].*\.$/)
    expect(
      contract.operations.some(
        (operation) => entry.inapplicableReason(operation, activate(entry).values) === undefined,
      ),
    ).toBe(true)
    expect(catalogue.find(entry.name)).toBe(entry)
    expect(parseScenarios(scenarioText(entry), catalogue).ok).toBe(true)
  })

  test('has a name of its own', () => {
    const names = catalogue.definitions.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
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
  const seconds: Parameter = {
    name: 'seconds',
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: 10,
    unit: 's',
    description: 'How long.',
  }
  const share: Parameter = {
    name: 'share',
    type: 'number',
    default: 0.5,
    minimum: 0,
    maximum: 1,
    unit: '',
    description: 'How many.',
  }
  const names: Parameter = { name: 'names', type: 'names', required: true, description: 'Which.' }

  test.each([
    [seconds, '0', 0],
    [seconds, '10', 10],
    [seconds, '11', undefined],
    [seconds, '-1', undefined],
    [seconds, '1.5', undefined],
    [seconds, 'NaN', undefined],
    [seconds, 'Infinity', undefined],
    [seconds, ' ', undefined],
    [share, '0.25', 0.25],
    [share, '1.01', undefined],
    [names, 'a|b c,d', ['a', 'b', 'c', 'd']],
    [names, '|', undefined],
  ])('$name=%j is read', (parameter, text, value) => {
    const read = readValues([parameter], new Map([[parameter.name, text]]))
    expect(read.ok ? read.value[parameter.name] : undefined).toEqual(value)
  })

  test('that nobody knows are refused with those that there are', () => {
    expect(readValues([seconds, share], new Map([['x', '1']]))).toEqual({
      ok: false,
      error: 'has no parameter "x"; it takes: seconds, share',
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
