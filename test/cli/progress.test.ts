import { expect, test, vi } from 'vitest'
import type { JudgedRun } from '../../src/exec/report/suite-report.ts'
import { createStatusLine, describeHuntProgress, describeProgress, showSeconds } from '../../src/exec/runs/progress.ts'

/** Describes the progress of so many runs, the first of which broke, at a time. */
function describeAt(ended: number, now: number, { total = 10, deadline = Infinity, repeated = 0 } = {}) {
  const verdictAt = (at: number) => ({ verdict: at === 0 ? 'broke' : 'noticed' }) as JudgedRun
  const judged = new Map(Array.from({ length: ended }, (_, at) => [at, verdictAt(at)]))
  return describeProgress(judged, { total, repeated, sinceMs: now, untilMs: deadline - now })
}

test('the line has the run, the findings, and the time that is left', () => {
  expect(describeAt(0, 0)).toBe('run 1 of 10, 0 findings')
  expect(describeAt(2, 4000)).toBe('run 3 of 10, 1 finding, 16 s left')
  expect(describeAt(5, 600_000)).toBe('run 6 of 10, 1 finding, 10 min left')
})

test('the line says how many runs were made twice, which are still one of the total', () => {
  const twice = 'run 4 of 10, 1 of them made twice, 1 finding, 14 s left'
  expect(describeAt(3, 6000, { repeated: 1 })).toBe(twice)
})

test('the time limit bounds the time that is left', () => {
  expect(describeAt(2, 4000, { total: 100, deadline: 10_000 })).toBe('run 3 of 100, 1 finding, 6 s left')
})

test('the line of a run without faults counts the seconds', () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const write = (text: string) => lines.push(text.replace('\r\u001b[2K', '')) > 0
  const line = createStatusLine({ isTTY: true, write })
  const clear = showSeconds(line, 'run 1 of 2 without faults', () => Date.now())
  vi.advanceTimersByTime(2000)
  clear()
  vi.advanceTimersByTime(2000)
  vi.useRealTimers()
  const seconds = ['0 s', '1 s', '2 s'].map((time) => `convsim: run 1 of 2 without faults, ${time}`)
  expect(lines).toEqual([...seconds, ''])
})

test('the line of a hunt counts the runs, then those that make a finding smaller, and says how much time is left', () => {
  expect(describeHuntProgress(1, 2500)).toBe('nothing found in 1 run, 3 s left')
  expect(describeHuntProgress(2, Infinity)).toBe('nothing found in 2 runs')
  expect(describeHuntProgress(2, 2500, 1)).toBe('found after 2 runs; run 1 makes it smaller')
})
