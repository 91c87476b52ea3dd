import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { convsim, run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'

const model = '00000000-0000-4000-8000-000000000002'

/** A suite that reads analytics, trying again until the answer is good, and records an event; `check` decides whether it is green. */
const suite = (check = 'true') => `
const base = process.env.CONVSIM_BASE_URL
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
async function send(path, body) {
  const statuses = []
  while (statuses.length < 20) {
    try {
      const answer = await fetch(base + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
      statuses.push(answer.status)
      const result = await answer.json()
      if (answer.ok) return { ...result, statuses }
    } catch {
      statuses.push(0)
    }
  }
  throw new Error('no good answer')
}
const analytics = await send('/models/${model}/analytics?period=7d')
const event = await send('/events', { eventType: 'a', productId: '00000000-0000-4000-9000-000000000002', value: '1', insertId: 'i' })
const { statuses } = analytics
if (!(${check})) { console.log('the check failed'); process.exit(5) }`

/** Returns the arguments that hunt in a script. */
const hunt = (code: string, ...flags: string[]) => [
  'exec',
  '--clock',
  frozenNow,
  ...flags,
  '--',
  process.execPath,
  '--input-type=module',
  '-e',
  code,
]

/** Failures that cost no time. */
const quick = 'rate-limited;retry-after=0,reset,extremes'

/** Hunts in a script, and returns the JSON of the report besides the outcome. */
async function huntJson(code: string, ...flags: string[]) {
  const cwd = await tempFolder()
  const outcome = await run(hunt(code, ...flags, '--report', 'report.json'), { cwd })
  const file = await readFile(join(cwd, 'convsim-hunt.yaml'), 'utf8').catch(() => undefined)
  return { ...outcome, cwd, file, report: JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8')) }
}

describe('convsim exec --hunt', () => {
  test('finds nothing in a suite that survives, says what was tried, and writes no file', {
    tags: ['long'],
  }, async () => {
    const { code, stdout, report, file } = await huntJson(suite(), '--hunt', quick, '--max-runs', '12', '--jobs', '2')
    expect([code, file, report.found]).toEqual([0, undefined, null])
    expect(report.summary).toMatchObject({ runs: 12, single: 9, pair: 3, longer: 0, endedBy: 'max-runs' })
    expect(stdout).toMatch(/^Nothing found in 12 runs: no combination broke the suite\.$/m)
    expect(stdout).toMatch(/^12 runs until --max-runs was reached: 9 with one fault, 3 with two, 0 with more\.$/m)
  })

  test('finds one fault, and leaves out what is not needed', async () => {
    const { code, stdout, stderr, report, file } = await huntJson(suite('event.statuses.length < 2'), '--hunt', quick)
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
    const check = '!(statuses.includes(429) && analytics.dataPoints.length === 0 && statuses.length === 2)'
    const found = await Promise.all(
      [
        ['--jobs', '1'],
        ['--jobs', '3'],
      ].map((jobs) => huntJson(suite(check), '--hunt', 'rate-limited;retry-after=0,empty-lists', ...jobs)),
    )
    const [one, other] = found.map(({ report }) => report)
    expect(one.found.steps).toEqual([
      { operation: 'getModelAnalytics', occurrence: 1, scenario: 'rate-limited;retry-after=0' },
      { operation: 'getModelAnalytics', occurrence: 2, scenario: 'empty-lists;fields=dataPoints' },
    ])
    expect(other.found.drawn).toEqual(one.found.drawn)
    expect(other.found.rules).toEqual(one.found.rules)
  })

  test('--fail-on decides the exit code', { tags: ['long'] }, async () => {
    const broken = suite('statuses.length < 2')
    expect((await huntJson(broken, '--hunt', 'reset', '--fail-on', 'hung')).code).toBe(0)
    const { code, stderr } = await huntJson(suite(), '--hunt', 'reset', '--max-runs', '2', '--fail-on', 'advice')
    expect([code, stderr]).toEqual([3, expect.stringMatching(/piece of advice, and so in 2 more runs/)])
  })

  test('a failure that does not repeat is no finding, and no candidate is lost by it', { tags: ['long'] }, async () => {
    const counter = join(await tempFolder(), 'count')
    await writeFile(counter, '')
    const code = `import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(counter)}, 'x')
${suite(`readFileSync(${JSON.stringify(counter)}, 'utf8').length !== 4`)}`
    const { stdout, report } = await huntJson(code, '--hunt', quick, '--max-runs', '5')
    expect([report.found, report.summary.unrepeatable]).toEqual([null, 1])
    expect(report.summary).toMatchObject({ runs: 5, endedBy: 'max-runs' })
    expect(stdout).toMatch(/^1 run failed, and passed when repeated: the suite itself is not reliable\.$/m)
  })

  test('counts a request once, also where the client leaves its answer unread', { tags: ['long'] }, async () => {
    const leaves = `import { once } from 'node:events'
import { connect } from 'node:net'
const { hostname, port, pathname } = new URL(process.env.CONVSIM_BASE_URL)
const socket = connect(Number(port), hostname)
socket.write(\`GET \${pathname}/models/00000000-0000-4000-8000-000000000002/analytics HTTP/1.1\\r\\nHost: \${hostname}\\r\\nAuthorization: Bearer k\\r\\n\\r\\n\`)
await once(socket, 'readable')
await new Promise((resolve) => setTimeout(resolve, 50))
socket.resetAndDestroy()`
    const { stdout } = await huntJson(leaves, '--hunt', 'slow;ms=1', '--max-runs', '1')
    expect(stdout).toContain('Without faults the command asks getModelAnalytics once.')
  })

  test('the time ends it', { tags: ['long'] }, async () => {
    const { code, report } = await huntJson(suite(), '--hunt', '--time', '2s')
    expect([code, report.summary.endedBy]).toEqual([0, 'time'])
  })

  test('every format says what was found, or that nothing was', { tags: ['long'] }, async () => {
    const cwd = await tempFolder()
    const reports = ['--report', 'r.xml,r.md,r.html,github=r.txt']
    const read = (extension: string) => readFile(join(cwd, `r.${extension}`), 'utf8')
    await run(hunt(suite('statuses.length < 2'), '--hunt', 'reset', ...reports), { cwd })
    expect(XMLValidator.validate(await read('xml'))).toBe(true)
    expect(await read('xml')).toMatch(
      /<failure type="broke" message="The command fails with exit code 5 if request 1 of getModelAnalytics/,
    )
    expect((await read('txt')).match(/^::error::/gm)).toHaveLength(1)
    expect(await read('md')).not.toContain('--fail-on:')
    expect(await read('md')).toMatch(/^### request 1 of getModelAnalytics meets "reset"$/m)
    expect(await read('html')).toMatch(/<h3>request 1 of getModelAnalytics meets &quot;reset&quot;<\/h3>/)
    expect(await read('html')).not.toMatch(/<script|<link|<img|\ssrc=|url\(/i)
    await run(hunt(suite(), '--hunt', 'reset', '--max-runs', '1', ...reports), { cwd })
    expect(await read('xml')).toMatch(/failures="0"[\s\S]*Nothing found in 1 run:/)
    expect(await read('md')).toMatch(/Nothing found in 1 run:/)
    expect(await read('html')).toMatch(/Nothing found/)
  })
})

describe('the file of --hunt', { tags: ['long'] }, () => {
  test('replaces that of an earlier hunt, and no other file', async () => {
    const cwd = await tempFolder()
    const broken = hunt(suite('statuses.length < 2'), '--hunt', 'reset')
    await run(broken, { cwd })
    expect((await run(broken, { cwd })).code).toBe(3)
    await writeFile(join(cwd, 'convsim-hunt.yaml'), 'rules: []\n')
    const { code, stderr } = await run(broken, { cwd })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/convsim-hunt\.yaml exists, and no hunt has written it/)])
    expect(await readFile(join(cwd, 'convsim-hunt.yaml'), 'utf8')).toBe('rules: []\n')
  })
})

describe('a hunt is refused with', () => {
  test.each([
    [['--hunt', 'drift'], /--hunt: error: "drop-field" has a wrong or final answer/],
    [['--hunt', 'resilence'], /There is no scenario "resilence"/],
    [['--hunt', '--each'], /--hunt takes no --each: /],
    [['--hunt', '--only', 'drift:drop-field@createEvent/eventId'], /--hunt takes no --only: /],
    [['--hunt', '--scenario', 'slow'], /--hunt takes no --scenario: /],
    [['--hunt', '--state', 'x.json'], /--hunt takes no --state/],
    [['--hunt', '--fail-on', 'unnoticed'], /--fail-on unnoticed needs --each/],
    [['--hunt', '--fail-on', 'hung>20'], /--fail-on hung>20 needs --each/],
  ])('%j', async (flags, reason) => {
    const { code, stdout, stderr } = await run(hunt(suite(), ...flags))
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(reason)])
  })

  test('a suite that is red without faults', async () => {
    const { code, stderr } = await run(hunt(suite('false'), '--hunt'))
    expect([code, stderr]).toEqual([5, expect.stringMatching(/fails with exit code 5 without any fault/)])
  })
})

/** A suite that never ends after a 429, and has a child that never ends. */
const hanging = (pidFile: string) => `
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
${suite()}
if (statuses.includes(429)) {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'])
  writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
  setTimeout(() => {}, 600_000)
}`

describe('a hunt in a suite that hangs', { tags: ['long'] }, () => {
  test('finds it, and leaves no process', async () => {
    const pidFile = join(await tempFolder(), 'pid')
    const { code, report } = await huntJson(
      hanging(pidFile),
      '--hunt',
      'rate-limited;retry-after=0',
      '--run-timeout',
      '2s',
    )
    expect([code, report.found.verdict]).toEqual([3, 'hung'])
    expect(report.found.sentence).toMatch(
      /^The command does not end within 2 s if request 1 of getModelAnalytics meets /,
    )
    await untilGone(Number(await readFile(pidFile, 'utf8')))
  })

  test('ends by Ctrl-C with the report so far, and leaves no process', async () => {
    const cwd = await tempFolder()
    const pidFile = join(cwd, 'pid')
    const flags = ['--hunt', 'rate-limited;retry-after=0', '--report', 'report.json']
    const command = convsim(hunt(hanging(pidFile), ...flags), { cwd })
    let pid = ''
    while (pid === '') {
      await new Promise((resolve) => setTimeout(resolve, 20))
      pid = await readFile(pidFile, 'utf8').catch(() => '')
    }
    command.process.kill('SIGINT')
    expect(await command.ended).toBe(130)
    await untilGone(Number(pid))
    expect(command.stdout()).toMatch(/until it was interrupted: /)
    const { found, summary } = JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))
    expect([found, summary.endedBy]).toEqual([null, 'interrupt'])
  })
})
