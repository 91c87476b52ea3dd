import { expect, test } from 'vitest'
import { LastLines } from '../../src/exec/runs/suite-command.ts'

test('the last lines of two streams are in the order in which they end, without colours and empty lines', () => {
  const lines = new LastLines()
  const [out, errors] = [lines.openStream(), lines.openStream()]
  out('first\nsec')
  errors('\u001b[31mbad\u001b[0m\n\n')
  out('ond\nopen')
  expect(lines.list()).toEqual(['first', 'bad', 'second', 'open'])
})

test('only the last 40 lines are kept, and 500 characters of each', () => {
  const lines = new LastLines()
  const add = lines.openStream()
  for (let line = 1; line <= 50; line += 1) add(`${line}\n`)
  add('x'.repeat(600))
  add('x'.repeat(600))
  const list = lines.list()
  expect(list).toHaveLength(40)
  expect(list[0]).toBe('12')
  expect(list.at(-1)).toBe('x'.repeat(500))
})
