// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const model = '00000000-0000-4000-8000-000000000002'

/**
 * A suite that reads analytics twice and swallows each failure, or tries again, as a line of JavaScript. `isRed`: an
 * expression with the number of the run, `n`.
 */
const suite = (counter: string, isRed = 'false', attempts = 1) => `
import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(counter)}, 'x')
const n = readFileSync(${JSON.stringify(counter)}, 'utf8').length
const url = process.env.CONVSIM_BASE_URL + '/models/${model}/analytics?period=7d'
const read = async (left) => {
  try {
    const answer = await fetch(url, { headers: { authorization: 'Bearer k' } })
    const body = await answer.json()
    if (answer.ok || left <= 1) return body
  } catch {
    if (left <= 1) return
  }
  return read(left - 1)
}
for (const name of ['first', 'second']) await read(${attempts})
if (${isRed}) { console.log('red in run ' + n); process.exit(6) }`

/**
 * Tries a suite in a folder of its own, and returns the JSON of its report and the number of its runs besides the
 * outcome.
 */
async function trySuite(write: (counter: string) => string, ...flags: string[]) {
  const cwd = await tempFolder()
  const counter = join(cwd, 'count')
  await writeFile(counter, '')
  const command = [process.execPath, '--input-type=module', '-e', write(counter)]
  const own = ['exec', '--clock', frozenNow, ...flags, '--report', 'report.json', '--', ...command]
  const outcome = await run(own, { cwd })
  const json = await readFile(join(cwd, 'report.json'), 'utf8').catch(() => 'null')
  return { ...outcome, runs: (await readFile(counter, 'utf8')).length, report: JSON.parse(json) }
}

const verdictsOf = ({ runs }: { runs: readonly { verdict: string }[] }) => runs.map(({ verdict }) => verdict)

describe('a client that', () => {
  const set = ['--each', 'reset,truncated,unavailable;retry-after=0,slow;ms=5', '--fail-on', 'not-resilient']

  test('tries once and swallows the error has not recovered, though the next test makes the same call', async () => {
    const { code, stdout, stderr, report } = await trySuite((counter) => suite(counter), ...set)
    expect(code).toBe(3)
    expect(verdictsOf(report)).toEqual([
      ...Array.from({ length: 6 }, () => 'never-succeeded'),
      'recovered',
      'recovered',
    ])
    expect(stderr).toContain('--fail-on: 6 of 8 faults did not recover (75 %)')
    expect(stdout).toMatch(/^resilience:reset .* green, but the call never succeeded$/m)
    expect(stdout).toMatch(/"truncated" struck .* the answer that broke off was swallowed: /)
  })

  test('tries again has recovered', async () => {
    const { code, report } = await trySuite((counter) => suite(counter, 'false', 3), ...set)
    expect([code, ...new Set(verdictsOf(report))]).toEqual([0, 'recovered'])
  })
})

describe('a run that is red', () => {
  test('is made once more, and unsteady if it is green then', async () => {
    const { code, runs, stdout, report } = await trySuite((counter) => suite(counter, 'n === 3', 3), '--each', 'reset')
    expect([code, runs]).toEqual([0, 2 + 3 + 1])
    expect(verdictsOf(report)).toEqual(['unsteady', 'recovered'])
    expect(report.summary).toMatchObject({ unsteady: 1, made: 2, repeated: 1, changes: [] })
    expect(report.findings[0]).toMatchObject({ kind: 'unsteady', lastLines: ['red in run 3'] })
    expect(stdout).toMatch(/^1 of 2 runs is unsteady, since two runs disagree, so not in the shares: /m)
  })

  test('counts if it is red again', async () => {
    const { runs, report } = await trySuite((counter) => suite(counter, 'n === 3 || n === 4', 3), '--each', 'reset')
    expect([runs, ...verdictsOf(report)]).toEqual([6, 'broke', 'recovered'])
  })

  test('without faults is made once more at the start, too', async () => {
    const { code, runs, report } = await trySuite((counter) => suite(counter, 'n === 1', 3), '--each', 'reset')
    expect([code, runs, ...verdictsOf(report)]).toEqual([0, 2 + 1 + 2 + 1, 'recovered', 'recovered'])
    expect(report.summary.changes).toEqual(['at the start it failed with exit code 6'])
  })
})

describe('the run without faults', () => {
  const flags = ['--each', 'drop-field', '--max-runs', '21', '--jobs', '2']

  test('comes again after twenty runs, and at the end', async () => {
    const { code, runs } = await trySuite((counter) => suite(counter), ...flags)
    expect([code, runs]).toEqual([0, 2 + 20 + 1 + 1 + 1])
  })

  test('ends the runs if it is red and red again, and the red runs before it are left out', async () => {
    // Runs 3 to 21 are green, 22 is the last of the twenty and red from then on.
    const { code, runs, stdout, stderr, report } = await trySuite(
      (counter) => suite(counter, 'n >= 22'),
      ...['--each', 'drop-field', '--max-runs', '21'],
    )
    expect([code, runs]).toEqual([1, 2 + 19 + 2 + 2])
    expect(verdictsOf(report)).toEqual(Array.from({ length: 19 }, () => 'unnoticed'))
    expect(report).toMatchObject({ truncated: true, summary: { endedBy: 'red-plain-run' } })
    expect(report.summary.changes).toEqual(['after 20 runs it failed twice, with exit code 6'])
    expect(stdout).toMatch(/^19 runs, \d+ not made \(the command failed without faults\)\.$/m)
    expect(stderr).toContain('convsim: The command fails without faults, too.')
  })
})

describe('a hunt', () => {
  test('counts the green runs in which a call never succeeded, as --fail-on not-resilient does', async () => {
    const { code, stdout, stderr, report } = await trySuite(
      (counter) => suite(counter),
      ...['--hunt', 'reset,slow;ms=5', '--max-runs', '2', '--fail-on', 'not-resilient'],
    )
    expect([code, report.found, report.summary.neverSucceeded]).toEqual([3, null, 1])
    expect(stdout).toMatch(/^1 of 2 runs was green, but the call never succeeded: --each names the calls\.$/m)
    expect(stderr).toContain('--fail-on: 1 of 2 runs was green, but the call never succeeded')
  })

  test('finds nothing in a suite that is red without faults by then', async () => {
    const { code, stdout, report } = await trySuite(
      (counter) => suite(counter, 'n >= 3'),
      ...['--hunt', 'slow;ms=5', '--max-runs', '2'],
    )
    expect([code, report.found, report.summary.endedBy]).toEqual([1, null, 'red-plain-run'])
    expect(stdout).toMatch(/^What broke the suite is no finding: the command fails without faults, too\.$/m)
    expect(stdout).toMatch(/: at the end it failed twice, with exit code 6\.$/m)
  })
})
