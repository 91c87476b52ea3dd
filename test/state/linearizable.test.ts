import { expect, test } from 'vitest'
import { isLinearizable, type Operation } from './linearizable.ts'

const write = (value: number, begun: number, ended: number): Operation => ({ kind: 'write', value, begun, ended })
const read = (value: number, begun: number, ended: number): Operation => ({ kind: 'read', value, begun, ended })

test.each<[string, boolean, Operation[]]>([
  ['a read after a write', true, [write(1, 1, 2), read(1, 3, 4)]],
  ['a read of an older value after a write', false, [write(1, 1, 2), read(0, 3, 4)]],
  ['a read during a write of either value', true, [write(1, 1, 4), read(0, 2, 3)]],
  ['two reads that see a write, and then not', false, [write(1, 1, 9), read(1, 2, 3), read(0, 4, 5)]],
  ['two writes at once, in either order', true, [write(1, 1, 9), write(2, 2, 8), read(2, 10, 11)]],
  ['reads that disagree about the order of two writes', false, [write(1, 1, 2), write(2, 3, 4), read(1, 5, 6)]],
])('the checker judges %s', (_name, expected, history) => {
  expect(isLinearizable(history, 0)).toBe(expected)
})
