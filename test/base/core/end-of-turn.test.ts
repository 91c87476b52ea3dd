import { expect, test } from 'vitest'
import { endOfTurn, nextTurn } from '../../../src/base/core/timers.ts'

test('endOfTurn resolves after pending input but in the same turn, even if called at the end of a turn', async () => {
  const seen: string[] = []
  const changes = endOfTurn().then(async () => {
    seen.push('changes')
    setImmediate(() => seen.push('next turn'))
    await undefined
  })
  void changes.then(endOfTurn).then(() => seen.push('reply'))
  void changes.then(endOfTurn).then(() => seen.push('second reply'))
  seen.push('input')
  await nextTurn()
  await nextTurn()
  expect(seen).toEqual(['input', 'changes', 'reply', 'second reply', 'next turn'])

  seen.length = 0
  setImmediate(() => seen.push('input'))
  void endOfTurn().then(() => seen.push('changes'))
  await nextTurn()
  expect(seen).toEqual(['input', 'changes'])
})
