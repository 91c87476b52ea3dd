import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { convsim, run } from '../support/command.ts'
import { compareGolden, withoutStylesheet } from '../support/golden.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'

const model = '00000000-0000-4000-8000-000000000002'

/** A suite that reads analytics twice and records an event, as a line of JavaScript; `check` decides whether it is green. */
const suite = (check = 'true') => `
const base = process.env.CONVSIM_BASE_URL
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
const send = async (path, body) => (await fetch(base + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })).json()
const first = await send('/models/${model}/analytics?period=7d')
const second = await send('/models/${model}/analytics?period=7d')
const event = await send('/events', { eventType: 'a', productId: '00000000-0000-4000-9000-000000000002', value: '1' })
if (!(${check})) { console.log('the check failed'); process.exit(5) }`

const clock = ['--clock', frozenNow]

/** Returns the arguments that try a script with faults. */
const each = (code: string, ...flags: string[]) => [
  'exec',
  ...clock,
  ...flags,
  '--',
  process.execPath,
  '--input-type=module',
  '-e',
  code,
]

/** Tries a script, and returns the JSON of its report besides the outcome. */
async function tryJson(code: string, ...flags: string[]) {
  const file = join(await tempFolder(), 'report.json')
  const outcome = await run(each(code, ...flags, '--report', file))
  return { ...outcome, report: JSON.parse(await readFile(file, 'utf8')) }
}

describe('convsim exec --each', () => {
  test('reports a verdict for each fault at each place', async () => {
    const { code, report } = await tryJson(suite(), '--each', 'lost-ack,forbidden')
    expect(code).toBe(0)
    expect(report.runs).toEqual([
      { fault: 'resilience:lost-ack', operation: 'createEvent', occurrence: 1, verdict: 'broke' },
      { fault: 'refusals:forbidden', operation: 'createEvent', occurrence: 1, verdict: 'unnoticed' },
      { fault: 'refusals:forbidden', operation: 'getModelAnalytics', occurrence: 1, verdict: 'unnoticed' },
      { fault: 'refusals:forbidden', operation: 'getModelAnalytics', occurrence: 2, verdict: 'unnoticed' },
    ])
    expect(report).toMatchObject({ truncated: false, summary: { made: 4, equivalent: 0, notMade: 0 } })
  })

  test('strikes the request that is due, and no other', { tags: ['long'] }, async () => {
    const only = ['--only', 'refusals:forbidden@getModelAnalytics']
    const { report: noticed } = await tryJson(suite('first.success !== false'), ...only)
    expect(noticed.runs).toMatchObject([{ verdict: 'noticed' }])
    const { report: unnoticed } = await tryJson(suite('second.success !== false'), ...only)
    expect(unnoticed.runs).toMatchObject([{ verdict: 'unnoticed' }])
    expect(unnoticed.findings[0].requests).toEqual([
      `GET /v1/models/${model}/analytics 403 forbidden`,
      `GET /v1/models/${model}/analytics 200`,
      'POST /v1/events 201',
    ])
  })

  test('counts the requests over all sandboxes, whatever the suite resets', { tags: ['long'] }, async () => {
    const code = `
const { CONVSIM_BASE_URL: base, CONVSIM_CONTROL_URL: control } = process.env
for (const name of ['one', 'two', 'three']) {
  const headers = { authorization: 'Bearer k', 'x-sim-sandbox': name }
  await fetch(control + '/reset?sandbox=' + name, { method: 'POST' })
  await fetch(base + '/models/${model}/analytics?period=' + (name === 'two' ? '7d' : '30d'), { headers })
}`
    const { report } = await tryJson(code, '--each', 'forbidden')
    expect(report.runs.map(({ occurrence }: { occurrence: number }) => occurrence)).toEqual([1, 2, 3])
    const lines = report.findings.map(({ requests }: { requests: string[] }) =>
      requests.map((line) => line.split(' ').slice(2).join(' ')),
    )
    expect(lines).toEqual([
      ['403 forbidden', '200', '200'],
      ['200', '403 forbidden', '200'],
      ['200', '200', '403 forbidden'],
    ])
  })

  test('leaves alone a request that steers the simulator itself, which alone is nothing to try', {
    tags: ['long'],
  }, async () => {
    const code = suite().replace('const first', "headers['x-sim-scenario'] = 'critical'\nconst first")
    const { code: exit, stderr } = await run(each(code, '--each', 'reset'))
    expect(exit).toBe(1)
    expect(stderr).toMatch(/none got an ordinary answer: 2 x 200 of a request that steers the simulator, 1 x 400\.$/m)
  })

  test('says so and fails if no request gets an ordinary answer', { tags: ['long'] }, async () => {
    const code = suite().replaceAll('Bearer k', '')
    const { code: exit, stdout, stderr } = await run(each(code, '--each', '--fail-on', 'not-resilient,unnoticed,hung'))
    expect([exit, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/No request can meet a fault, since none got an ordinary answer: 3 x 401\.$/m)
  })

  test('a drift stays in all answers, and in all items of a list', { tags: ['long'] }, async () => {
    const check = 'first.dataPoints.every(({ date }) => date) || second.dataPoints.some(({ date }) => date)'
    const { report } = await tryJson(suite(check), '--only', 'drift:drop-field@getModelAnalytics/dataPoints/*/date')
    expect(report.runs).toEqual([
      {
        fault: 'drift:drop-field',
        operation: 'getModelAnalytics',
        occurrence: 1,
        pointer: '/dataPoints/*/date',
        verdict: 'noticed',
      },
    ])
  })

  test('a field that no answer has is not reached, and not run', { tags: ['long'] }, async () => {
    const code = suite().replaceAll(model, '00000000-0000-4000-8000-0000000000f1')
    const { code: exit, report } = await tryJson(code, '--each', 'unknown-enum')
    expect(exit).toBe(1)
    const ofAnalytics = report.runs.filter(({ operation }: { operation: string }) => operation !== 'createEvent')
    expect(ofAnalytics).toContainEqual({
      fault: 'drift:unknown-enum',
      operation: 'getModelAnalytics',
      occurrence: 1,
      pointer: '/recommendations/healthLevel',
      verdict: 'not-reached',
    })
    expect(report.summary.made).toBe(0)
  })

  test('the same seed gives the same table, also side by side, and another seed draws other runs', {
    tags: ['long'],
  }, async () => {
    const flags = ['--each', 'drift', '--max-runs', '6', '--jobs', '2']
    const [first, second, other] = await Promise.all(
      [flags, flags, [...flags, '--seed', '2']].map((one) => tryJson(suite('first.messageCount > 0'), ...one)),
    )
    expect(first?.report.runs).toHaveLength(6)
    expect(second?.report.runs).toEqual(first?.report.runs)
    expect(other?.report.runs).not.toEqual(first?.report.runs)
    expect(first?.report).toMatchObject({ truncated: true, summary: { endedBy: 'max-runs', made: 6 } })
  })

  test('the time ends the runs, and the report says how many were not made', { tags: ['long'] }, async () => {
    const { code, report, stdout } = await tryJson(suite(), '--each', 'drift', '--time', '4s')
    expect(code).toBe(0)
    expect(report).toMatchObject({ truncated: true, summary: { endedBy: 'time' } })
    expect(stdout).toMatch(/^\d+ runs?, \d+ not made \(--time\)\.$/m)
  })

  test('judges what the client does meanwhile', { tags: ['long'] }, async () => {
    const code = suite().replace(
      "const event = await send('/events', {",
      "const send2 = (body) => send('/events', body).catch(() => send('/events', body))\nconst event = await send2({",
    )
    const { report } = await tryJson(code, '--each', 'lost-ack')
    expect(report.runs).toMatchObject([{ verdict: 'recovered' }])
    expect(report.findings).toMatchObject([
      { kind: 'client', client: expect.arrayContaining([expect.stringMatching(/^manners: createEvent: /)]) },
    ])
  })
})

test('a suite that fails now and then is said to be so after the runs', { tags: ['long'] }, async () => {
  const file = join(await tempFolder(), 'count')
  await writeFile(file, '')
  const more = `
import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(file)}, 'x')
if (readFileSync(${JSON.stringify(file)}, 'utf8') === 'xxxx') process.exit(6)`
  const { report, stdout } = await tryJson(suite() + more, '--only', 'drift:drop-field@createEvent/eventId')
  expect(report.summary.changes).toEqual(['at the end it failed with exit code 6'])
  expect(stdout).toMatch(/^The verdicts are not reliable, .*: at the end it failed with exit code 6\.$/m)
})

describe('--fail-on', { tags: ['long'] }, () => {
  test.each([
    ['unnoticed', 3, '2 of 2 faults were not noticed (100 %)'],
    ['unnoticed>99.9', 3, '2 of 2 faults were not noticed (100 %, at most 99.9 % wanted)'],
    ['unnoticed>100', 0, ''],
    ['not-resilient, hung', 0, ''],
    ['unexpected, coverage<1', 0, ''],
    ['advice', 3, 'piece of advice, and so in 2 more runs'],
  ])('%s exits with %i', async (conditions, exit, sentence) => {
    const set = 'drop-field;pointer=/eventId,wrong-type;pointer=/eventId'
    const { code, stderr } = await run(each(suite(), '--each', set, '--fail-on', conditions))
    expect(code).toBe(exit)
    expect(stderr).toContain(sentence)
  })
})

describe('a suite that cannot be tried stops with the reason:', () => {
  const refused = async (code: string, ...flags: string[]) => {
    const { code: exit, stdout, stderr } = await run(each(code, ...flags))
    expect(stdout).toBe('')
    return { exit, stderr }
  }

  test('it is red', async () => {
    const { exit, stderr } = await refused(suite('false'), '--each')
    expect(exit).toBe(5)
    expect(stderr).toMatch(/fails with exit code 5 without any fault.*\n {2}the check failed\n$/)
  })

  test('it does not repeat itself', { tags: ['long'] }, async () => {
    const file = join(await tempFolder(), 'count')
    await writeFile(file, '')
    const more = `
import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(file)}, 'x')
if (readFileSync(${JSON.stringify(file)}, 'utf8') === 'x') await send('/models/${model}/analytics?period=90d')`
    const { exit, stderr } = await refused(suite() + more, '--each')
    expect(exit).toBe(1)
    expect(stderr).toMatch(
      /differ in their requests.*\n {2}getModelAnalytics \?period=90d 200: 1 in the first run, 0 in the second\n$/,
    )
  })

  test('it asks nothing', async () => {
    const { exit, stderr } = await refused('', '--each')
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/sends no request to the simulator/)])
  })

  test('it does not exist', async () => {
    const { code, stderr } = await run(['exec', '--each', '--', 'no-such-command-here'])
    expect([code, stderr]).toEqual([127, expect.stringMatching(/There is no such command/)])
  })

  test.each([
    [['--each', 'resilence'], /--each: error: There is no scenario "resilence"\. .*A set is resilience, drift, /],
    [['--each', 'expect-violation'], /"expect-violation" is no fault/],
    [['--only', 'drop-field'], /"drop-field" names no run\. A run is FAULT@OPERATION/],
    [['--only', 'drift:drop-field@getModelAnalytic/x'], /There is no operation "getModelAnalytic"\. Did you mean/],
    [
      ['--only', 'drift:drop-field@getModelAnalytics/conversationCoun'],
      /no place for .*Did you mean "drift:drop-field@getModelAnalytics\/conversationCount"/,
    ],
    [['--only', 'resilience:reset@createPrompt'], /no request of it can meet this fault/],
    [['--jobs', '2'], /--jobs needs --each, --only or --hunt/],
    [['--fail-on', 'unnoticed'], /has a condition that needs convsim exec --each/],
    [['--each', '--state', 'x.json'], /--each takes no --state/],
    [['--each', '--jobs', '2', '--port', '4567'], /--jobs takes no --port/],
  ])('%j', { tags: ['long'] }, async (flags, reason) => {
    const { exit, stderr } = await refused(suite(), ...flags)
    expect([exit, stderr]).toEqual([1, expect.stringMatching(reason)])
  })
})

/** A suite that never ends if an answer lacks its eventId, and has a child that never ends. */
const hanging = (pidFile: string) => `
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
${suite()}
if (!event.eventId) {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'])
  writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
  setTimeout(() => {}, 600_000)
}`

describe('a run that does not end', () => {
  test('counts as hung, and none of its processes is left', { tags: ['long'] }, async () => {
    const file = join(await tempFolder(), 'pid')
    const flags = ['--only', 'drift:drop-field@createEvent/eventId', '--run-timeout', '3s', '--fail-on', 'hung']
    const { code, report } = await tryJson(hanging(file), ...flags)
    expect(code).toBe(3)
    expect(report.runs).toMatchObject([{ verdict: 'hung' }])
    expect(report.findings[0].sentence).toMatch(
      /^Hung: the command did not end within 3 s, and "drop-field" struck \/eventId in /,
    )
    await untilGone(Number(await readFile(file, 'utf8')))
  })

  test('ends by Ctrl-C with the report so far, and none of its processes is left', async () => {
    const folder = await tempFolder()
    const [pidFile, reportFile] = [join(folder, 'pid'), join(folder, 'report.json')]
    const set = 'drop-field;pointer=/success,drop-field;pointer=/eventId'
    const command = convsim(each(hanging(pidFile), '--each', set, '--report', reportFile))
    let pid = ''
    while (pid === '') {
      await new Promise((resolve) => setTimeout(resolve, 20))
      pid = await readFile(pidFile, 'utf8').catch(() => '')
    }
    command.process.kill('SIGINT')
    expect(await command.ended).toBe(130)
    await untilGone(Number(pid))
    expect(command.stdout()).toMatch(/^1 run, 1 not made \(interrupted\)\.$/m)
    const { runs, truncated } = JSON.parse(await readFile(reportFile, 'utf8'))
    expect([runs.length, truncated]).toEqual([1, true])
  })
})

/** Replaces the parts of a report that differ between machines and runs. */
const withoutRun = (text: string) =>
  withoutStylesheet(text)
    .replaceAll(/ time="[\d.]+"/g, ' time="..."')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:...')
    .replaceAll(/\b(?!2026-01-15T12:00:00)20\d\d-\d\d-\d\dT[\d:.]+Z/g, '(now)')
    .replaceAll(/convsim \d+\.\d+\.\d+|"version": "\d+\.\d+\.\d+"/g, '(version)')

describe('the report', () => {
  const formats = ['.json', '.xml', '.md', '.html']

  test('is the same in every run, in each format', { tags: ['long'] }, async () => {
    const cwd = await tempFolder()
    const guard = "process.on('uncaughtException', () => { console.log('no answer'); process.exit(1) })"
    await writeFile(join(cwd, 'suite.mjs'), `${guard}${suite('first.messageCount > 0')}`)
    const set =
      'reset,drop-field;pointer=/eventId,wrong-type;pointer=/dataPoints/*/date,null-required;pointer=/messageCount'
    const reports = formats.map((extension) => `report${extension}`).join(',')
    const flags = ['--each', set, '--report', reports, '--fail-on', 'unnoticed']
    const { stdout } = await run(['exec', ...clock, ...flags, '--', 'node', 'suite.mjs'], { cwd })
    const read = (extension: string) => readFile(join(cwd, `report${extension}`), 'utf8')
    await compareGolden('test/cli/each.test.ts', async () => {
      await expect(withoutRun(stdout)).toMatchFileSnapshot('../suites/golden/suite.golden.txt')
      for (const extension of formats)
        await expect(withoutRun(await read(extension))).toMatchFileSnapshot(`../suites/golden/suite.golden${extension}`)
    })
    expect(XMLValidator.validate(await read('.xml'))).toBe(true)
    expect(await read('.html')).not.toMatch(/<script|<link|<img|\ssrc=|url\(/i)
  })

  test('is lines of JSON with --log-format json', { tags: ['long'] }, async () => {
    const flags = ['--only', 'drift:drop-field@createEvent/eventId', '--log-format', 'json']
    const { stdout, stderr } = await run(each(suite(), ...flags))
    expect(stdout).toBe('')
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
  })
})
