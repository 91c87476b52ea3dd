import { expect, onTestFinished, test } from 'vitest'
import { convsim } from '../../support/command.ts'
import { drawRun } from './plan.ts'
import { type RunResult, runClient } from './run.ts'
import { StallWatch } from './stall-watch.ts'

/** The number of runs; `npm run test:evidence` sets 2,000. */
const runs = Number(process.env['EVIDENCE_RUNS'] ?? 24)
/** `EVIDENCE_SEED=2` draws other runs; `EVIDENCE_SEED=1.17` repeats the run 17 of the seed 1 alone. */
const seed = process.env['EVIDENCE_SEED'] ?? '1'
const seeds = seed.includes('.') ? [seed] : Array.from({ length: runs }, (_, index) => `${seed}.${index}`)

/** The runs that are made at the same time, each in a sandbox of its own; 24 is faster on an idle machine. */
const atOnce = Number(process.env['EVIDENCE_AT_ONCE'] ?? 6)
/** The result of the run of a seed. */
type SeededResult = RunResult & { readonly seed: string }

test(`a real client is accused of what its own log bears out, in ${seeds.length} runs of the seed ${seed}`, {
  timeout: 7_200_000,
}, async () => {
  const command = convsim(['serve', '--port', '0', '--state', ':memory:', '--log-level', 'error'])
  const origin = await command.ready()
  const target = { origin, baseUrl: `${origin}/v1` }
  const watch = new StallWatch(target)
  watch.start()
  onTestFinished(() => watch.stop())
  // The first requests of two new processes take longer than the pauses that are judged.
  await Promise.all(seeds.slice(0, atOnce).map((first) => runClient(target, drawRun(`${first}.warm`), watch)))
  const results: SeededResult[] = []
  const left = [...seeds]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      results.push({ ...(await runClient(target, drawRun(next), watch)), seed: next })
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await watch.stop()
  process.stdout.write(`\n${describeResults(results)}\n`)
  const wrong = listWrong(results).map(({ seed: of, unfounded, missed }) => ({ seed: of, unfounded, missed }))
  expect(wrong).toEqual([])
})

const listWrong = (results: readonly SeededResult[]) =>
  results.filter(({ unfounded, missed }) => unfounded.length + missed.length > 0)

function describeResults(results: readonly SeededResult[]): string {
  const wrong = listWrong(results)
  const sum = (count: (result: RunResult) => number) => results.reduce((total, one) => total + count(one), 0)
  const figures = [
    `${results.length} runs of the seed ${seed}, ${sum(({ tries }) => tries)} tries`,
    `${sum(({ accusations }) => accusations)} accusations, ${sum(({ unfounded }) => unfounded.length)} unfounded`,
    `${sum(({ duplicates }) => duplicates)} duplicates, ${sum(({ missed }) => missed.length)} missed`,
    `${sum(({ undecidable }) => undecidable)} more that nothing proves`,
    `${wrong.length} runs with a fault`,
    `${sum(({ hasStalled }) => Number(hasStalled))} stalled, whose short pauses and missed duplicates say nothing`,
  ]
  const stories = wrong
    .slice(0, Number(process.env['EVIDENCE_STORIES'] ?? 5))
    .map(({ seed: of, story, unfounded, missed }) => {
      return [`EVIDENCE_SEED=${of}`, story, `unfounded: ${unfounded}`, `missed: ${missed}`].join('\n')
    })
  return [figures.join('; '), ...stories].join('\n\n')
}
