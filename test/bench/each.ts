import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './table.ts'

/**
 * Measures what `convsim exec --each` adds to the time of a command: `npm run bench:each`. The command is a sample suite, once as it is,
 * which takes little more than the start of Node, and once with a second of work. It runs alone, against one simulator that is there
 * already, and by `--each`; both take turns. The ratio is the time of each further run by `--each` to the time of the command alone; its own
 * start and end, which happen once, are given beside it.
 */
const usage = 'npm run bench:each -- [--rounds 3] [--runs 30]'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, runs: { type: 'string' } } })
const rounds = Number(values.rounds ?? 3)
const runs = Number(values.runs ?? 30)
if (!(rounds > 0 && runs > 0)) throw new Error(usage)

/** The largest ratio that is good enough. */
const goal = 1.1

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const cli = join(checkout, 'dist/cli.js')
const suite = join(checkout, 'test/recipes/suites/asserts-little.mjs')

/** A command that takes longer by so many milliseconds; the wait is not the simulator's. */
const commandOf = (workMs: number) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `await import(${JSON.stringify(suite)}); await new Promise((resolve) => setTimeout(resolve, ${workMs}))`,
]

/** Runs a program to its end, and returns the milliseconds that it took. */
function time(file: string, args: readonly string[], env: Record<string, string> = {}): number {
  const begun = performance.now()
  const { status, stderr } = spawnSync(file, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`)
  return performance.now() - begun
}

function timeAlone([file = '', ...args]: readonly string[], baseUrl: string): number {
  let sum = 0
  for (let run = 0; run < runs; run += 1) sum += time(file, args, { CONVSIM_BASE_URL: baseUrl })
  return sum / runs
}

/**
 * Returns the number of runs without faults beside so many with: two at the beginning, one after every twenty, one at
 * the end.
 */
const countPlainRuns = (count: number) => 2 + Math.ceil(count / 20)

/** The time of an attempt with `--each`, milliseconds. */
interface EachTime {
  /** The time of each further run. */
  readonly run: number
  /** The time of the attempt beside its runs: its own start, plan, report and end. */
  readonly frame: number
}

/** Measures two attempts that differ in their number of runs alone. */
function timeEach(command: readonly string[], folder: string): EachTime {
  const short = timeAttempt(command, 1, folder)
  const long = timeAttempt(command, 1 + runs, folder)
  const run = (long - short) / (runs + countPlainRuns(1 + runs) - countPlainRuns(1))
  return { run, frame: short - (1 + countPlainRuns(1)) * run }
}

/** Returns the milliseconds of an attempt with so many runs with faults. */
function timeAttempt(command: readonly string[], count: number, folder: string): number {
  const file = join(folder, 'report.json')
  const flags = ['--each', 'drift', '--max-runs', String(count), '--report', file]
  const ms = time(process.execPath, [cli, 'exec', ...flags, '--', ...command])
  const { summary } = JSON.parse(readFileSync(file, 'utf8'))
  if (summary.made !== count) throw new Error(`${summary.made} runs were made, not ${count}`)
  return ms
}

const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
const server = spawn(process.execPath, [cli, '--port', '0', '--state', ':memory:'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
try {
  const [line] = await once(server.stdout, 'data')
  const [origin] = /http:\/\/[\d.:]+/.exec(String(line)) ?? []
  for (const workMs of [0, 1000]) {
    const command = commandOf(workMs)
    const alone: number[] = []
    const each: EachTime[] = []
    for (let round = 0; round < rounds; round += 1) {
      alone.push(timeAlone(command, `${origin}/v1`))
      each.push(timeEach(command, folder))
    }
    const run = median(each.map((one) => one.run))
    const frame = median(each.map((one) => one.frame))
    const ratio = run / median(alone)
    console.log(
      `command with ${workMs} ms of work: alone ${median(alone).toFixed(0)} ms, by --each ${run.toFixed(0)} ms a run, ` +
        `ratio ${ratio.toFixed(2)} (goal at most ${goal}): ${ratio <= goal ? 'met' : 'missed'}; and ${frame.toFixed(0)} ms once`,
    )
  }
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
