// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cli, run, startProgram } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const folder = fileURLToPath(new URL('suites/', import.meta.url))

/** A drift of each field that the client of the sample suites reads. */
const drifts = [
  'drop-field;pointer=/conversationCount',
  'wrong-type;pointer=/messageCount',
  'null-required;pointer=/eventId',
  'unknown-enum;pointer=/recommendations/healthLevel',
  'wrong-type;pointer=/success',
]

/** Every drift of those fields. */
const allDrifts = [
  'unknown-enum;pointer=/recommendations/healthLevel',
  ...['/recommendations/healthLevel', '/conversationCount', '/messageCount', '/success', '/eventId'].flatMap(
    (pointer) => ['drop-field', 'wrong-type', 'null-required'].map((name) => `${name};pointer=${pointer}`),
  ),
]

interface SuiteOutcome {
  readonly code: number | string
  readonly text: string
  /** The verdicts by the name of the fault and the operation: `drift:drop-field;pointer=/eventId createEvent`. */
  readonly verdicts: Readonly<Record<string, string>>
  readonly findings: readonly { readonly kind: string; readonly sentence: string }[]
}

/** Tries a sample suite with all failures that pass, and with drift of what it reads. */
async function trySuite(name: string, tried: readonly string[] = drifts): Promise<SuiteOutcome> {
  const file = join(await tempFolder(), 'report.json')
  const flags = ['--each', `resilience,${tried.join(',')}`, '--jobs', '2', '--clock', frozenNow, '--report', file]
  const { code, stdout } = await run([
    'exec',
    ...flags,
    '--fail-on',
    'not-resilient,unnoticed,hung',
    '--',
    process.execPath,
    join(folder, name),
  ])
  const { runs, findings } = JSON.parse(await readFile(file, 'utf8'))
  const verdicts = runs.map(({ fault, operation, verdict }: Record<string, string>) => [
    `${fault} ${operation}`,
    verdict,
  ])
  return { code, text: stdout, verdicts: Object.fromEntries(verdicts), findings }
}

/** Returns the different verdicts on the faults of a set. */
function verdictsOn({ verdicts }: SuiteOutcome, set: string): string[] {
  const own = Object.entries(verdicts).filter(([name]) => name.startsWith(`${set}:`))
  return [...new Set(own.map(([, verdict]) => verdict))].sort()
}

describe('the sample suite', () => {
  test('good.mjs recovers from each failure, and notices the drift of each field that it reads', async () => {
    const outcome = await trySuite('good.mjs', allDrifts)
    expect(outcome).toMatchObject({ code: 0, findings: [] })
    expect(verdictsOn(outcome, 'resilience')).toEqual(['recovered'])
    expect(verdictsOn(outcome, 'drift')).toEqual(['noticed'])
    expect(outcome.text).toMatch(/^Nothing to complain about$/m)
    expect(outcome.text).toMatch(/^resilience: 11 of 11 good \(100 %\): 11 recovered\.$/m)
    expect(outcome.text).toMatch(/^drift: 16 of 16 good \(100 %\): 16 noticed\.$/m)
  })

  test('never-retries.mjs breaks on each failure but a slow answer', async () => {
    const outcome = await trySuite('never-retries.mjs')
    expect(outcome.code).toBe(3)
    expect(verdictsOn(outcome, 'drift')).toEqual(['noticed'])
    const recovered = Object.entries(outcome.verdicts).filter(([, verdict]) => verdict === 'recovered')
    expect(recovered.map(([name]) => name)).toEqual([
      'resilience:slow createEvent',
      'resilience:slow getModelAnalytics',
    ])
    expect(new Set(outcome.findings.map(({ kind }) => kind))).toEqual(new Set(['not-resilient']))
    expect(outcome.text).toContain(
      'Not resilient: the command failed with exit code 1 when "reset" struck request 1 of createEvent.',
    )
  })

  test('swallows.mjs is green, but its calls never succeed unless the answer is slow', async () => {
    const outcome = await trySuite('swallows.mjs', ['drop-field;pointer=/eventId'])
    expect(outcome.code).toBe(3)
    expect(verdictsOn(outcome, 'drift')).toEqual(['noticed'])
    expect(verdictsOn(outcome, 'resilience')).toEqual(['never-succeeded', 'recovered'])
    expect(outcome.text).toMatch(
      /^resilience: 2 of 11 good \(18\.2 %\): 2 recovered, 9 "green, but the call never succeeded"\.$/m,
    )
  })

  test('asserts-little.mjs recovers, and notices no drift', async () => {
    const outcome = await trySuite('asserts-little.mjs')
    expect(outcome.code).toBe(3)
    expect(verdictsOn(outcome, 'resilience')).toEqual(['recovered'])
    expect(verdictsOn(outcome, 'drift')).toEqual(['unnoticed'])
    expect(new Set(outcome.findings.map(({ kind }) => kind))).toEqual(new Set(['unnoticed']))
    expect(outcome.text).toContain(
      'Nobody noticed: the command passed although "drop-field" struck /conversationCount in the answers of getModelAnalytics.',
    )
    expect(outcome.text).toMatch(
      /^getModelAnalytics has 1 field of which no test notices any drift that was tried \(wrong-type\): \/messageCount\.$/m,
    )
  })
})

describe('null-after-retry.mjs', () => {
  const command = [process.execPath, join(folder, 'null-after-retry.mjs')]

  test('survives each failure alone, and each extreme answer alone', async () => {
    const set = ['--each', 'rate-limited;retry-after=0,reset,extremes', '--fail-on', 'not-resilient,hung']
    const { code, stdout } = await run(['exec', ...set, '--clock', frozenNow, '--', ...command])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Nothing to complain about$/m)])
  })

  test('breaks by a 429 before a null in one field, which --hunt finds, and writes so that it can be repeated', async () => {
    const cwd = await tempFolder()
    const flags = ['--hunt', 'rate-limited;retry-after=0,reset,extremes', '--jobs', '2', '--report', 'report.json']
    const { code } = await run(['exec', ...flags, '--clock', frozenNow, '--', ...command], { cwd })
    expect(code).toBe(3)
    const { found } = JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))
    const [limited, rating] = ['rate-limited;retry-after=0', 'null;fields=averageConversationRating']
    expect(found).toMatchObject({
      steps: [
        { operation: 'getModelAnalytics', occurrence: 1, scenario: limited },
        { operation: 'getModelAnalytics', occurrence: 2, scenario: rating },
      ],
      shrunk: true,
      confirmed: true,
      file: 'convsim-hunt.yaml',
    })

    const repeat = async () => {
      const script = `convsim() { '${process.execPath}' '${cli}' "$@"; }\n${found.repeat}`
      return startProgram('sh', ['-c', script], { cwd }).ended
    }
    expect(await repeat()).toBe(1)
    const file = join(cwd, found.file)
    const text = await readFile(file, 'utf8')
    for (const other of [rating, limited]) {
      await writeFile(file, text.replace(`sequence: "${limited}, ${rating}, 200"`, `sequence: "${other}, 200"`))
      expect(await readFile(file, 'utf8')).not.toBe(text)
      expect(await repeat()).toBe(0)
    }
  })
})
