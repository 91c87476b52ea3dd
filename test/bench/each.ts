import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './table.ts'
import { withSimulator } from './targets.ts'

/**
 * Measures what `convsim each` adds to the time of a command: `npm run bench:each -- [--rounds 3] [--runs 30]`.
 * The command is a sample suite, once as it is, which takes little more than the start of Node, and once with a second
 * of work. It runs alone, against one simulator that is there already, and by `each`; both take turns. The ratio is
 * the time of each further run by `each` to the time of the command alone; its own start and end, which happen once,
 * are given beside it.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string' }, runs: { type: 'string' } } })
const rounds = Number(values.rounds ?? 3)
const runs = Number(values.runs ?? 30)

/** The largest ratio that is good enough. */
const goal = 1.1

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const suite = inCheckout('test/recipes/suites/asserts-little.mjs')
let report = join(tmpdir(), 'report.json')

await withSimulator(
  async ({ url }) => {
    for (const workMs of [0, 1000]) {
      const command = commandOf(workMs)
      const alone: number[] = []
      const each: ReturnType<typeof timeEach>[] = []
      for (let round = 0; round < rounds; round += 1) {
        for (let run = 0; run < runs; run += 1) alone.push(time(command, { CONVSIM_BASE_URL: url }))
        each.push(timeEach(command))
      }
      const run = median(each.map((one) => one.run))
      const frame = median(each.map((one) => one.frame))
      const ratio = run / median(alone)
      console.log(
        `command with ${workMs} ms of work: alone ${median(alone).toFixed(0)} ms, ` +
          `by each ${run.toFixed(0)} ms a run and ${frame.toFixed(0)} ms once, ` +
          `ratio ${ratio.toFixed(2)} (goal at most ${goal}): ${ratio <= goal ? 'met' : 'missed'}`,
      )
    }
  },
  (folder) => {
    report = join(folder, 'report.json')
    return []
  },
)

/** Returns the arguments of Node that run a suite, which takes longer by so many milliseconds. */
function commandOf(workMs: number): readonly string[] {
  const wait = `await new Promise((resolve) => setTimeout(resolve, ${workMs}))`
  return ['--input-type=module', '-e', `await import(${JSON.stringify(suite)}); ${wait}`]
}

/** Runs a program of Node to its end, and returns the milliseconds that it took. */
function time(args: readonly string[], env: Record<string, string> = {}): number {
  const begun = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stderr}`)
  return performance.now() - begun
}

/**
 * Measures two attempts that differ in their number of runs alone. Returns the milliseconds of each further run, and of
 * an attempt beside its runs: its own start, plan, report and end.
 */
function timeEach(command: readonly string[]) {
  // Runs without faults: two at the beginning, one after every twenty, one at the end.
  const countPlainRuns = (count: number) => 2 + Math.ceil(count / 20)
  const short = timeAttempt(command, 1)
  const long = timeAttempt(command, 1 + runs)
  const run = (long - short) / (runs + countPlainRuns(1 + runs) - countPlainRuns(1))
  return { run, frame: short - (1 + countPlainRuns(1)) * run }
}

/** Returns the milliseconds of an attempt with so many runs with faults. */
function timeAttempt(command: readonly string[], count: number): number {
  const flags = ['--set', 'drift', '--max-runs', String(count), '--report', report]
  const ms = time([inCheckout('dist/cli.js'), 'each', ...flags, '--', process.execPath, ...command])
  const { summary } = JSON.parse(readFileSync(report, 'utf8'))
  if (summary.made !== count) throw new Error(`${summary.made} runs were made, not ${count}`)
  return ms
}
