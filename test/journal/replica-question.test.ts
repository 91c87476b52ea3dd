import { expect, test } from 'vitest'
import { ReplicaQuestion } from '../../src/journal/replica-question.ts'

const signal = (kind: 'sending' | 'answer' | 'failed', from: string) => ({ kind, id: 'q', from })

test('a question waits until all replicas have answered', async () => {
  const question = new ReplicaQuestion(['one', 'two'])
  const answers = question.wait({ signalMs: 60_000, sendingMs: 60_000 })
  for (const from of ['one', 'two']) question.receive(signal('sending', from))
  for (const from of ['one', 'two']) question.receive(signal('answer', from))
  expect([...(await answers)]).toEqual([])
})

test('a question waits longer for a replica that is sending, and no longer for one that is silent', async () => {
  const question = new ReplicaQuestion(['slow', 'silent'])
  const answers = question.wait({ signalMs: 10, sendingMs: 60_000 })
  question.receive(signal('sending', 'slow'))
  let isOver = false
  void answers.then(() => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isOver).toBe(false)
  question.receive(signal('answer', 'slow'))
  expect([...(await answers)]).toEqual(['silent'])
})

test('a question ends without the answers of replicas that take too long', async () => {
  const question = new ReplicaQuestion(['stuck'])
  question.receive(signal('sending', 'stuck'))
  expect([...(await question.wait({ signalMs: 5, sendingMs: 5 }))]).toEqual(['stuck'])
})

test('a question does not wait for a replica that cannot send', async () => {
  const question = new ReplicaQuestion(['full', 'fast'])
  const answers = question.wait({ signalMs: 60_000, sendingMs: 60_000 })
  for (const from of ['full', 'fast']) question.receive(signal('sending', from))
  question.receive(signal('failed', 'full'))
  question.receive(signal('answer', 'fast'))
  expect([...(await answers)]).toEqual(['full'])
})

test('a question ends with the reason for which its own process cannot send', async () => {
  const question = new ReplicaQuestion(['own', 'other'])
  question.fail(new Error('full'))
  await expect(question.wait({ signalMs: 60_000, sendingMs: 60_000 })).rejects.toThrow('full')
})
