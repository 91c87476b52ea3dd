// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const file = fileURLToPath(new URL('suite.mjs', import.meta.url))

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

/** Tries a sample suite with all failures that pass, and with drift of what it reads, and returns both verdicts. */
async function trySuite(name: string, tried: readonly string[]) {
  const report = join(await tempFolder(), 'report.json')
  const flags = ['--set', `resilience,${tried.join(',')}`, '--jobs', '2', '--clock', frozenNow, '--report', report]
  const gates = ['--fail-on', 'not-resilient,unnoticed,hung']
  const { code, stdout } = await run(['each', ...flags, ...gates, '--', process.execPath, file, name])
  const { runs, findings } = JSON.parse(await readFile(report, 'utf8'))
  const verdictsOn = (set: string): string[] => {
    const own = runs.filter(({ fault }: Record<string, string>) => fault?.startsWith(`${set}:`))
    return [...new Set<string>(own.map(({ verdict }: Record<string, string>) => verdict))].sort()
  }
  const kinds = [...new Set(findings.map(({ kind }: { kind: string }) => kind))]
  return { code, stdout, kinds, resilience: verdictsOn('resilience'), drift: verdictsOn('drift') }
}

test.each<[string, readonly string[], object, readonly RegExp[]]>([
  [
    'good recovers from each failure, and notices the drift of each field that it reads',
    allDrifts,
    { code: 0, kinds: [], resilience: ['recovered'], drift: ['noticed'] },
    [
      /^Nothing to complain about$/m,
      /^resilience: 19 of 19 good \(.* 19 recovered\.$/m,
      /^drift: 16 of 16 good \(100 %/m,
    ],
  ],
  [
    'swallows is green, but its calls never succeed unless the response is slow',
    ['drop-field;pointer=/eventId'],
    { code: 3, kinds: ['not-resilient'], resilience: ['never-succeeded', 'recovered'], drift: ['noticed'] },
    [/^resilience: 2 of 19 good \(10\.5 %\): 2 recovered, 17 "green, but the call never succeeded"\.$/m],
  ],
  [
    'asserts-little recovers, and notices no drift',
    drifts,
    { code: 3, kinds: ['unnoticed'], resilience: ['recovered'], drift: ['unnoticed'] },
    [
      /Nobody noticed: the command passed although "drop-field" was injected into \/conversationCount in the responses of getModel/,
      /^getModelAnalytics has 1 field whose injected drift no test notices \(wrong-type\): \/messageCount\.$/m,
    ],
  ],
])('the sample suite %s', async (title, tried, outcome, sentences) => {
  const tryOut = await trySuite(title.split(' ')[0] ?? '', tried)
  expect(tryOut).toMatchObject(outcome)
  for (const sentence of sentences) expect(tryOut.stdout).toMatch(sentence)
})
