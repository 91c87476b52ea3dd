// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

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

/** The sample suites, with the verdict that is true for the faults that pass, and for those that stay. */
const suites = [
  { name: 'good.mjs', onPassing: 'recovered', onLasting: 'noticed' },
  { name: 'never-retries.mjs', onPassing: 'broke', onLasting: 'noticed' },
  { name: 'asserts-little.mjs', onPassing: 'recovered', onLasting: 'unnoticed' },
  { name: 'swallows.mjs', onPassing: 'never-succeeded', onLasting: 'noticed' },
  { name: 'skips', onPassing: 'recovered', onLasting: 'unnoticed' },
]

const recipe = (name: string) => JSON.stringify(new URL(`../recipes/suites/${name}`, import.meta.url).href)

/** A suite that retries, stays green, and leaves out its second event where it would be red. */
const skips = `
import { createClient, order } from ${recipe('client.mjs')}
const client = createClient(process.env.CONVSIM_BASE_URL, { attempts: 3 })
const event = { ...order, insertId: undefined }
await client.recordEvent(event)
if (!isOdd) await client.recordEvent(event)`

interface ReportedVerdict {
  readonly fault: string
  readonly operation: string
  readonly verdict: string
}

/** Tries a sample suite that differs by itself in the seventh run, the fourteenth and so on, counted from `offset`. */
async function tryUnsteady(suite: (typeof suites)[number], offset: number) {
  const folder = await tempFolder()
  const [counter, report, file] = ['count', 'report.json', 'suite.mjs'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(counter, 'x'.repeat(offset))
  await writeFile(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(counter)}, 'x')
const isOdd = readFileSync(${JSON.stringify(counter)}, 'utf8').length % ${redEvery} === 0
${suite.name === 'skips' ? skips : `await import(${recipe(suite.name)})\nif (isOdd) process.exit(7)`}`,
  )
  const set = [...passing, ...harmless, ...lasting].join(',')
  const flags = ['--each', set, '--clock', frozenNow, '--report', report]
  const { code, stdout, stderr } = await run(['exec', ...flags, '--', process.execPath, file])
  const json = await readFile(report, 'utf8').catch(() => undefined)
  const made = (await readFile(counter, 'utf8')).length - offset
  return { code, stdout, stderr, made, report: json === undefined ? undefined : JSON.parse(json) }
}

/** Returns the verdicts that are neither true nor `unsteady`. */
function findFalse(runs: readonly ReportedVerdict[], suite: (typeof suites)[number]): string[] {
  return runs
    .filter(({ verdict }) => verdict !== 'unsteady')
    .filter(({ fault, verdict }) => verdict !== findTruth(fault, suite))
    .map(({ fault, operation, verdict }) => `${suite.name}: ${fault} ${operation}: ${verdict}`)
}

function findTruth(fault: string, { onPassing, onLasting }: (typeof suites)[number]): string {
  if (harmless.some((name) => fault.endsWith(name))) return 'recovered'
  return fault.startsWith('drift:') ? onLasting : onPassing
}

test(
  'a suite that is red, or leaves out a call, in every seventh run by itself gets no false verdict',
  async () => {
    const wrong: string[][] = []
    const refused: string[] = []
    let unsteady = 0
    let commands = 0
    for (let index = 0; index < campaigns; index += 1) {
      const suite = suites[(index + 3) % suites.length] ?? suites[0]
      if (!suite) throw new Error('there is no suite')
      const { stdout, stderr, made, report } = await tryUnsteady(suite, index % (redEvery - 2))
      commands += made
      if (!report) {
        refused.push(`${suite.name} was not tried: ${stderr}`)
        continue
      }
      wrong.push(findFalse(report.runs, suite))
      expect.soft(report.runs.length).toBeGreaterThan(15)
      const own = report.runs.filter(({ verdict }: ReportedVerdict) => verdict === 'unsteady').length
      unsteady += own
      expect.soft(report.summary.unsteady).toBe(own)
      if (own > 0) expect.soft(stdout).toMatch(new RegExp(`^${own} of \\d+ runs (is|are) unsteady, since two`, 'm'))
    }
    if (process.env['EACH_CAMPAIGNS'])
      process.stdout.write(
        [
          `${campaigns} campaigns, ${commands} runs of the command`,
          `${wrong.filter((own) => own.length > 0).length} with a false verdict (${wrong.flat().length} such verdicts)`,
          `${refused.length} refused, ${unsteady} unsteady verdicts\n`,
        ].join(', '),
      )
    expect([wrong.flat(), refused]).toEqual([[], []])
    expect(unsteady).toBeGreaterThan(0)
  },
  60_000 + campaigns * 30_000,
)
