import { expect, test } from 'vitest'
import { Histories, type SandboxChange } from '../../src/bundles/history.ts'

const change = (size: number): SandboxChange => ({
  order: 1,
  at: 0,
  operation: 'putScenarios',
  method: 'PUT',
  path: '/__sim/scenarios',
  query: '',
  body: { latin1: 'x'.repeat(size), size },
})

test('a history holds changes and states under a bound, and tells what it does not hold', () => {
  const histories = new Histories()
  histories.record('a', change(10))
  histories.record('a', change(1024 * 1024 + 1))
  expect(histories.of('a').changes.map(({ body }) => [body.latin1?.length, body.size])).toEqual([
    [10, 10],
    [undefined, 1024 * 1024 + 1],
  ])
  const text = 'x'.repeat(4 * 1024 * 1024)
  for (const name of 'bcdefghi') histories.begin(name, { kind: 'export', text })
  expect(histories.of('h').start.kind).toBe('export')
  expect(histories.of('i').start).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('32 MiB') })
  histories.record('j', change(512 * 1024))
  for (let count = 0; count < 8; count += 1) histories.record('j', change(1024 * 1024))
  expect(histories.of('j')).toMatchObject({ lostChanges: 5, changes: { length: 4 } })
  histories.discard('b')
  histories.discard('j')
  histories.begin('i', { kind: 'export', text })
  expect(histories.of('i').start.kind).toBe('export')
  histories.begin('i', { kind: 'export', text: `${text}x` })
  expect(histories.of('i').start).toEqual({ kind: 'unknown', reason: 'it takes more than 4 MiB' })
})

test('a history has at most 10,000 changes, and counts the others', () => {
  const histories = new Histories()
  for (let count = 0; count < 10_002; count += 1) histories.record('a', change(0))
  expect(histories.of('a')).toMatchObject({ lostChanges: 2, changes: { length: 10_000 } })
  histories.begin('a', { kind: 'empty' })
  expect(histories.of('a')).toMatchObject({ lostChanges: 0, changes: [] })
})
