import { describe, expect, test, vi } from 'vitest'
import { createProgress, showPlainProgress } from '../../src/exec/each/progress.ts'
import { createHuntProgress } from '../../src/exec/hunt/progress.ts'
import type { JudgedRun } from '../../src/exec/report/suite-report.ts'

/** Creates a progress whose clock and terminal are variables. */
function setUp(total: number, deadline: number | undefined) {
  const terminal = { text: '', now: 0 }
  const write = (text: string) => {
    terminal.text = text
  }
  const progress = createProgress(write, total, () => terminal.now, deadline)
  const update = (ended: number, now: number) => {
    terminal.now = now
    progress.update(
      Array.from({ length: ended }, (_, at) => ({ verdict: at === 0 ? 'broke' : 'noticed' }) as JudgedRun),
    )
    return terminal.text.replace('\r\u001b[2K', '')
  }
  return { progress, terminal, update }
}

test('the line has the run, the findings, and the time that is left', () => {
  const { update, progress, terminal } = setUp(10, undefined)
  expect(update(0, 0)).toBe('convsim: run 1 of 10, 0 findings')
  expect(update(2, 4000)).toBe('convsim: run 3 of 10, 1 finding, 16 s left')
  expect(update(5, 600_000)).toBe('convsim: run 6 of 10, 1 finding, 10 min left')
  progress.clear()
  expect(terminal.text).toBe('\r\u001b[2K')
})

test('the line says how many runs were made twice, which are still one of the total', () => {
  const { update, progress, terminal } = setUp(10, undefined)
  update(2, 4000)
  progress.repeat()
  expect(terminal.text).toBe('\r\u001b[2Kconvsim: run 3 of 10, 1 of them made twice, 1 finding, 16 s left')
  expect(update(3, 6000)).toBe('convsim: run 4 of 10, 1 of them made twice, 1 finding, 14 s left')
})

test('the time limit bounds the time that is left', () => {
  expect(setUp(100, 10_000).update(2, 4000)).toBe('convsim: run 3 of 100, 1 finding, 6 s left')
})

test('the line of a run without faults counts the seconds', () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const terminal = (text: string) => void lines.push(text.replace('\r\u001b[2K', ''))
  const clear = showPlainProgress({ terminal, elapsed: () => Date.now() }, 'run 1 of 2 without faults')
  vi.advanceTimersByTime(2000)
  clear()
  vi.advanceTimersByTime(2000)
  vi.useRealTimers()
  const seconds = ['0 s', '1 s', '2 s'].map((time) => `convsim: run 1 of 2 without faults, ${time}`)
  expect(lines).toEqual([...seconds, ''])
})

describe('the line of a hunt', () => {
  test('counts the runs, then those that make a finding smaller, and says how much time is left', () => {
    const lines: string[] = []
    const progress = createHuntProgress(
      (text) => void lines.push(text.replace('\r\u001b[2K', '')),
      () => 500,
      3000,
    )
    progress.count('hunt')
    progress.count('hunt')
    progress.count('shrink')
    progress.clear()
    expect(lines).toEqual([
      'convsim: nothing found in 1 run, 3 s left',
      'convsim: nothing found in 2 runs, 3 s left',
      'convsim: found after 2 runs; run 1 makes it smaller',
      '',
    ])
  })
})
