import { call } from './client.ts'
import type { TestSimulator } from './start.ts'

type Target = Pick<TestSimulator, 'origin'>

/** Reads all values from `GET /__sim/metrics`. Returns them by metric name and labels. */
export async function metricsOf(target: Target): Promise<Record<string, number>> {
  const { text } = await call(target, '/__sim/metrics', { token: null })
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

/** Resolves when exactly `count` verifications and streams, in total, are waiting for requests. */
export async function untilWaiting(target: Target, count: number): Promise<void> {
  while ((await metricsOf(target))['convsim_journal_waiting'] !== count);
}
