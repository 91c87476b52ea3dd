import { expect, test } from 'vitest'
import { StderrWriter } from '../../src/process/stderr-writer.ts'

/** Creates a writer whose reader takes `room` bytes in all, then fails with `code`. */
function setup(room: number, code = 'EAGAIN') {
  const reader = { room, taken: '' }
  const writer = new StderrWriter((bytes) => {
    const taken = Math.min(bytes.length, reader.room)
    if (taken === 0) throw Object.assign(new Error(code), { code })
    reader.room -= taken
    reader.taken += Buffer.from(bytes.subarray(0, taken)).toString()
    return taken
  })
  return { reader, writer }
}

test('text that the reader does not take yet is written later, in order and once', async () => {
  const { reader, writer } = setup(3)
  writer.write('one\n')
  writer.write('two\n')
  expect(reader.taken).toBe('one')
  reader.room = 100
  await expect.poll(() => reader.taken).toBe('one\ntwo\n')
})

test('a flush writes the rest, and gives up at its deadline', () => {
  const { reader, writer } = setup(2)
  writer.write('abcd')
  writer.flush(20)
  reader.room = 100
  writer.write('e')
  writer.flush(20)
  expect(reader.taken).toBe('abe')
})

test('a reader that is gone holds up no flush, even one without a deadline', () => {
  const { reader, writer } = setup(2, 'EPIPE')
  writer.write('abcd')
  writer.flush(Number.POSITIVE_INFINITY)
  expect(reader.taken).toBe('ab')
})

test('lines beyond the bound are dropped, and counted once nothing waits', () => {
  const { reader, writer } = setup(0)
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`
  for (let n = 0; n < 20; n += 1) writer.write(line)
  expect(writer.takeLostLines()).toBe(0)
  reader.room = Number.POSITIVE_INFINITY
  writer.flush(20)
  expect(reader.taken).toHaveLength(8 * 1024 * 1024)
  expect([writer.takeLostLines(), writer.takeLostLines()]).toEqual([12, 0])
})
