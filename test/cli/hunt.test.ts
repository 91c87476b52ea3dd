import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { run } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'
import { execSuite, failUnless, hangIf, trySuite } from './sample-suite.ts'

/** A suite that tries again until the answer is good; `check` decides whether it is green. */
const suite = (check = 'true') => `
const answer = await attempt(20, analytics)
const event = await attempt(20, '/events', { ...order, insertId: 'i' })
const { statuses } = answer
${failUnless(check)}`

const broken = suite('statuses.length < 2')

/** Failures that cost no time. */
const quick = 'rate-limited;retry-after=0,reset,extremes'

const hunt = async (lines: string, ...flags: string[]) => {
  const tried = await trySuite(lines, '--hunt', ...flags)
  return { ...tried, file: await tried.read('convsim-hunt.yaml') }
}

describe('convsim exec --hunt', () => {
  test('finds nothing in a suite that survives, says what was tried, and writes no file', {
    tags: ['long'],
  }, async () => {
    const { code, stdout, report, file } = await hunt(suite(), quick, '--max-runs', '12', '--jobs', '2')
    expect([code, file, report.found]).toEqual([0, undefined, null])
    expect(report.summary).toMatchObject({ runs: 12, single: 9, pair: 3, longer: 0, endedBy: 'max-runs' })
    expect(stdout).toMatch(/^Nothing found in 12 runs: no combination broke the suite\.$/m)
    expect(stdout).toMatch(/^12 runs until --max-runs was reached: 9 with one fault, 3 with two, 0 with more\.$/m)
  })

  test('finds one fault, and leaves out what is not needed', async () => {
    const { code, stdout, stderr, report, file } = await hunt(suite('event.statuses.length < 2'), quick)
    expect(code).toBe(3)
    expect(report.found).toMatchObject({
      verdict: 'broke',
      code: 5,
      shrunk: true,
      confirmed: true,
      lastLines: ['the check failed'],
      steps: [{ operation: 'createEvent', occurrence: 1 }],
    })
    expect(stdout).toMatch(/^Found: The command fails with exit code 5 if request 1 of createEvent meets "/m)
    expect(stdout).toMatch(/^ {4}It passes without it, and fails each time with it\.$/m)
    expect(stderr).not.toContain('--fail-on')
    expect(file).toMatch(/^# Written by convsim exec --hunt\. The command fails under these scenarios:\n/)
    expect(file?.replaceAll(/^#.*\n/gm, '')).toMatch(
      /^rules:\n {2}- operation: "createEvent"\n {4}sequence: ".*, 201"\n$/,
    )
  })

  test('finds a sequence, the same with the same seed and side by side', { tags: ['long'] }, async () => {
    const lines = suite('!(statuses.includes(429) && answer.dataPoints.length === 0 && statuses.length === 2)')
    const found = await Promise.all(
      ['1', '3'].map((jobs) => hunt(lines, 'rate-limited;retry-after=0,empty-lists', '--jobs', jobs)),
    )
    const [one, other] = found.map(({ report }) => report)
    expect(one.found.steps).toEqual([
      { operation: 'getModelAnalytics', occurrence: 1, scenario: 'rate-limited;retry-after=0' },
      { operation: 'getModelAnalytics', occurrence: 2, scenario: 'empty-lists;fields=dataPoints' },
    ])
    expect(other.found.drawn).toEqual(one.found.drawn)
    expect(other.found.rules).toEqual(one.found.rules)
  })

  test('finds a suite that hangs, and leaves none of its processes', { tags: ['long'] }, async () => {
    const lines = suite() + hangIf('statuses.includes(429)')
    const { code, report, read } = await hunt(lines, 'rate-limited;retry-after=0', '--run-timeout', '8s')
    expect([code, report.found.verdict]).toEqual([3, 'hung'])
    expect(report.found.sentence).toMatch(/^The command does not end within 8 s if request 1 of getModelAnalytics /)
    const pids = (await read('pids'))?.match(/\d+/g) ?? []
    expect(pids).not.toEqual([])
    for (const pid of pids) await untilGone(Number(pid))
  })

  test.each<[string, string, string[], number, RegExp]>([
    ['0 though it breaks, with --fail-on hung', broken, ['--fail-on', 'hung'], 0, /^/],
    ['3 with --fail-on advice', suite(), ['--max-runs', '2', '--fail-on', 'advice'], 3, /and so in 2 more runs/],
  ])('ends with %s', { tags: ['long'] }, async (_, lines, flags, exit, reason) => {
    const { code, stderr } = await hunt(lines, 'reset', ...flags)
    expect([code, stderr]).toEqual([exit, expect.stringMatching(reason)])
  })

  test('ends when its time is up', { tags: ['long'] }, async () => {
    const { code, report } = await hunt(suite(), quick, '--time', '15s')
    expect([code, report.summary.endedBy]).toEqual([0, 'time'])
  })

  test('takes a failure that does not repeat for no finding, and loses no candidate by it', {
    tags: ['long'],
  }, async () => {
    const { stdout, report } = await hunt(suite('n !== 4'), quick, '--max-runs', '5')
    expect([report.found, report.summary.unrepeatable]).toEqual([null, 1])
    expect(report.summary).toMatchObject({ runs: 5, endedBy: 'max-runs' })
    expect(stdout).toMatch(/^1 run failed, and passed when repeated: the suite itself is not reliable\.$/m)
  })

  test('counts the green runs in which a call never succeeded, as --fail-on not-resilient does', {
    tags: ['long'],
  }, async () => {
    const lines = 'for (const one of [1, 2]) await ask(analytics).catch(() => undefined)'
    const flags = ['--max-runs', '2', '--fail-on', 'not-resilient']
    const { code, stdout, stderr, report } = await hunt(lines, 'reset,slow;ms=5', ...flags)
    expect([code, report.found, report.summary.neverSucceeded]).toEqual([3, null, 1])
    expect(stdout).toMatch(/^1 of 2 runs was green, but the call never succeeded: --each names the calls\.$/m)
    expect(stderr).toContain('--fail-on: 1 of 2 runs was green, but the call never succeeded')
  })

  test('finds nothing in a suite that is red without faults by then', { tags: ['long'] }, async () => {
    const { code, stdout, report } = await hunt(suite('n < 3'), 'slow;ms=5', '--max-runs', '2')
    expect([code, report.found, report.summary.endedBy]).toEqual([1, null, 'red-plain-run'])
    expect(stdout).toMatch(/^What broke the suite is no finding: the command fails without faults, too\.$/m)
    expect(stdout).toMatch(/: at the end it failed twice, with exit code 5\.$/m)
  })

  test('counts a request once, also where the client leaves its answer unread', { tags: ['long'] }, async () => {
    const leaves = `import { once } from 'node:events'
import { connect } from 'node:net'
const { hostname, port, pathname } = new URL(base)
const socket = connect(Number(port), hostname)
const lines = ['GET ' + pathname + analytics + ' HTTP/1.1', 'Host: ' + hostname, 'Authorization: Bearer k', '', '']
socket.write(lines.join('\\r\\n'))
await once(socket, 'readable')
await new Promise((resolve) => setTimeout(resolve, 50))
socket.resetAndDestroy()`
    const { stdout } = await hunt(leaves, 'slow;ms=1', '--max-runs', '1')
    expect(stdout).toContain('Without faults the command asks getModelAnalytics once.')
  })

  test('says in every format what was found, or that nothing was', { tags: ['long'] }, async () => {
    const cwd = await tempFolder()
    const reports = ['--hunt', 'reset', '--report', 'r.xml,r.md,r.html,github=r.txt']
    const read = (extension: string) => readFile(join(cwd, `r.${extension}`), 'utf8')
    await run(execSuite(broken, ...reports), { cwd })
    expect(XMLValidator.validate(await read('xml'))).toBe(true)
    expect(await read('xml')).toMatch(
      /<failure type="broke" message="The command fails with exit code 5 if request 1 of getModelAnalytics/,
    )
    expect((await read('txt')).match(/^::error::/gm)).toHaveLength(1)
    expect(await read('md')).not.toContain('--fail-on:')
    expect(await read('md')).toMatch(/^### request 1 of getModelAnalytics meets "reset"$/m)
    expect(await read('html')).toMatch(/<h3>request 1 of getModelAnalytics meets &quot;reset&quot;<\/h3>/)
    expect(await read('html')).not.toMatch(/<script|<link|<img|\ssrc=|url\(/i)
    await run(execSuite(suite(), ...reports, '--max-runs', '1'), { cwd })
    expect(await read('xml')).toMatch(/failures="0"[\s\S]*Nothing found in 1 run:/)
    for (const extension of ['md', 'html']) expect(await read(extension)).toContain('Nothing found')
  })

  test('replaces the file of an earlier hunt, and no other file', { tags: ['long'] }, async () => {
    const cwd = await tempFolder()
    const file = join(cwd, 'convsim-hunt.yaml')
    const again = () => run(execSuite(broken, '--hunt', 'reset'), { cwd })
    expect([(await again()).code, (await again()).code]).toEqual([3, 3])
    await writeFile(file, 'rules: []\n')
    const { code, stderr } = await again()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/convsim-hunt\.yaml exists, and no hunt has written it/)])
    expect(await readFile(file, 'utf8')).toBe('rules: []\n')
  })

  test.each([
    ['true', 'drift', 1, /--hunt: error: "drop-field" has a wrong or final answer/],
    ['true', 'resilence', 1, /There is no scenario "resilence"/],
    ['false', 'reset', 5, /fails with exit code 5 without any fault/],
  ])('refuses a suite whose check is %s with the set %s', async (check, set, exit, reason) => {
    const { code, stdout, stderr } = await hunt(suite(check), set)
    expect([code, stdout, stderr]).toEqual([exit, '', expect.stringMatching(reason)])
  })
})
