import { expect, test } from 'vitest'
import { createCountProgress, findStderrTerminal } from '../../src/process/count-progress.ts'

const clearLine = '\r\u001b[2K'

test('the line shows how far a command is, five times a second at most, and is removed', () => {
  const written: string[] = []
  let now = 0
  const progress = createCountProgress(
    (text) => void written.push(text),
    'drift',
    () => now,
  )
  for (now = 0; now < 1000; now += 10) progress.show('comparing answers', now, 1000)
  progress.clear()
  progress.clear()
  expect(written).toEqual([
    ...[200, 400, 600, 800].map((done) => `${clearLine}convsim drift: comparing answers: ${done} of 1000, 0 s`),
    clearLine,
  ])
})

test('nothing is written without a terminal', () => {
  expect(findStderrTerminal({ isTTY: false, write: () => true })).toBeUndefined()
  const progress = createCountProgress(undefined, 'drift', () => 0)
  expect(() => progress.show('reading', 1, 2)).not.toThrow()
})
