// @module-tag long
import { expect, test } from 'vitest'
import { trySuite } from './sample-suite.ts'

/** The number of campaigns; `EACH_CAMPAIGNS=16` makes those of FINDINGS. */
const campaigns = Number(process.env['EACH_CAMPAIGNS'] ?? 2)

/** The number of runs of the command of which one differs by itself. */
const redEvery = 7

/** The faults that pass, and those that stay, at fields that the suites check. */
const refusals = ['unavailable', 'rate-limited']
const passing = ['reset', 'truncated', 'empty-response', 'malformed-json', 'lost-ack', ...refusals]
const harmless = ['slow;ms=20', 'extra-field']
const lasting = ['drop-field', 'wrong-type', 'null-required'].flatMap((name) =>
  ['/messageCount', '/eventId'].map((pointer) => `${name};pointer=${pointer}`),
)
const set = [...passing, ...harmless, ...lasting].join(',')

const recipe = (name: string) => JSON.stringify(new URL(`../recipes/suites/${name}`, import.meta.url).href)

/** Returns a sample suite that is red in odd runs. */
const redIn = (name: string) => `await import(${recipe(name)})\nif (isOdd) process.exit(7)`

/** A suite that retries, stays green, and leaves out its second event where it would be red. */
const skips = `
const { createClient, order: event } = await import(${recipe('client.mjs')})
const client = createClient(base, { attempts: 3 })
await client.recordEvent({ ...event, insertId: undefined })
if (!isOdd) await client.recordEvent({ ...event, insertId: undefined })`

/** The sample suites, with the verdict that is true for the faults that pass, and for those that stay. */
const suites = [
  { lines: redIn('swallows.mjs'), onPassing: 'never-succeeded', onLasting: 'noticed' },
  { lines: skips, onPassing: 'recovered', onLasting: 'unnoticed' },
  { lines: redIn('good.mjs'), onPassing: 'recovered', onLasting: 'noticed' },
  { lines: redIn('never-retries.mjs'), onPassing: 'broke', onLasting: 'noticed' },
  { lines: redIn('asserts-little.mjs'), onPassing: 'recovered', onLasting: 'unnoticed' },
]

type Suite = (typeof suites)[number]

interface ReportedVerdict {
  readonly fault: string
  readonly verdict: string
}

/** Returns true for a verdict that is neither true nor `unsteady`. */
function isFalse({ fault, verdict }: ReportedVerdict, { onPassing, onLasting }: Suite): boolean {
  const isHarmless = harmless.some((name) => fault.endsWith(name))
  const truth = isHarmless ? 'recovered' : fault.startsWith('drift:') ? onLasting : onPassing
  return verdict !== 'unsteady' && verdict !== truth
}

test(
  'a suite that is red, or leaves out a call, in every seventh run by itself gets no false verdict',
  async () => {
    const wrong: ReportedVerdict[][] = []
    const refused: string[] = []
    let [unsteady, commands] = [0, 0]
    for (let index = 0; index < campaigns; index += 1) {
      const suite = suites[index % suites.length] as Suite
      const isOdd = `const isOdd = (n + ${index % (redEvery - 2)}) % ${redEvery} === 0\n`
      const { stdout, stderr, runs, report } = await trySuite(isOdd + suite.lines, '--set', set)
      commands += runs
      if (!report) {
        refused.push(stderr)
        continue
      }
      wrong.push(report.runs.filter((run: ReportedVerdict) => isFalse(run, suite)))
      expect.soft(report.runs.length).toBeGreaterThan(15)
      const own = report.runs.filter(({ verdict }: ReportedVerdict) => verdict === 'unsteady').length
      unsteady += own
      expect.soft(report.summary.unsteady).toBe(own)
      if (own > 0) expect.soft(stdout).toMatch(new RegExp(`^${own} of \\d+ runs (is|are) unsteady, since two`, 'm'))
    }
    if (process.env['EACH_CAMPAIGNS'])
      process.stdout.write(
        `${campaigns} campaigns, ${commands} runs of the command, ` +
          `${wrong.filter((own) => own.length > 0).length} with a false verdict, ` +
          `${wrong.flat().length} such verdicts, ` +
          `${refused.length} refused, ${unsteady} unsteady verdicts\n`,
      )
    expect([wrong.flat(), refused]).toEqual([[], []])
    expect(unsteady).toBeGreaterThan(0)
  },
  240_000 + campaigns * 120_000,
)
