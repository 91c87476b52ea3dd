import { expect, test } from 'vitest'
import { convsim } from '../../support/command.ts'
import { drawRun } from './plan.ts'
import { type RunResult, runClient, type Target } from './run.ts'
import { StallWatch } from './stall-watch.ts'

/** The number of runs; `npm run test:evidence` sets 2,000. */
const runs = Number(process.env['EVIDENCE_RUNS'] ?? 24)
/** `EVIDENCE_SEED=2` draws other runs; `EVIDENCE_SEED=1.17` repeats the run 17 of the seed 1 alone. */
const seed = process.env['EVIDENCE_SEED'] ?? '1'
const seeds = seed.includes('.') ? [seed] : Array.from({ length: runs }, (_, index) => `${seed}.${index}`)

/** The runs that are made at the same time, each in a sandbox of its own; 24 is faster on an idle machine. */
const atOnce = Number(process.env['EVIDENCE_AT_ONCE'] ?? 6)
/** A run during which the machine stood still is made again, so many times. */
const maxRepeats = 20

/** The results of all runs. */
interface Results {
  readonly judged: (RunResult & { readonly seed: string })[]
  /** The number of runs that were made again, and of those that never went undisturbed. */
  repeated: number
  readonly disturbed: string[]
}

test(`a real client is accused of what its own log bears out, in ${seeds.length} runs of the seed ${seed}`, {
  timeout: 7_200_000,
}, async () => {
  const command = convsim(['serve', '--port', '0', '--state', ':memory:', '--log-level', 'error'])
  const origin = await command.ready()
  const target = { origin, baseUrl: `${origin}/v1` }
  const watch = new StallWatch(target)
  watch.start()
  const results: Results = { judged: [], repeated: 0, disturbed: [] }
  const left = [...seeds]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      await runUndisturbed(target, watch, next, results)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await watch.stop()
  process.stdout.write(`\n${describeResults(results)}\n`)
  const wrong = listWrong(results).map(({ seed: of, unfounded, missed }) => ({ seed: of, unfounded, missed }))
  expect(wrong).toEqual([])
  expect(results.judged.length).toBeGreaterThan(seeds.length / 2)
})

/** Runs a client, again if the machine stood still meanwhile. */
async function runUndisturbed(
  target: Target,
  watch: StallWatch,
  runSeed: string,
  results: Results,
): Promise<void> {
  for (let repeats = 0; repeats <= maxRepeats; repeats += 1) {
    const begin = performance.now()
    const result = await runClient(target, drawRun(runSeed))
    if (result && !watch.hasStalledSince(begin)) {
      results.judged.push({ ...result, seed: runSeed })
      return
    }
    results.repeated += 1
  }
  results.disturbed.push(runSeed)
}

const listWrong = ({ judged }: Results) =>
  judged.filter(({ unfounded, missed }) => unfounded.length + missed.length > 0)

function describeResults(results: Results): string {
  const { judged, repeated, disturbed } = results
  const wrong = listWrong(results)
  const sum = (count: (result: RunResult) => number) => judged.reduce((total, one) => total + count(one), 0)
  const figures = [
    `${judged.length} runs of the seed ${seed}, ${sum(({ tries }) => tries)} tries`,
    `${sum(({ accusations }) => accusations)} accusations, ${sum(({ unfounded }) => unfounded.length)} unfounded`,
    `${sum(({ duplicates }) => duplicates)} duplicates, ${sum(({ missed }) => missed.length)} missed`,
    `${sum(({ undecidable }) => undecidable)} more that nothing on the wire tells from new calls`,
    `${wrong.length} runs with a fault; ${repeated} made again, ${disturbed.length} never undisturbed ${disturbed}`,
  ]
  const stories = wrong
    .slice(0, Number(process.env['EVIDENCE_STORIES'] ?? 5))
    .map(({ seed: of, story, unfounded, missed }) => {
      return [`EVIDENCE_SEED=${of}`, story, `unfounded: ${unfounded}`, `missed: ${missed}`].join('\n')
    })
  return [figures.join('; '), ...stories].join('\n\n')
}
