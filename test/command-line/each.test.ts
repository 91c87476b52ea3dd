import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { SMALL } from '../service/contract/documents.ts'
import { run } from '../support/command.ts'
import { compareGolden, inLines, withoutStylesheet } from '../support/golden.ts'
import { frozenNow } from '../support/start.ts'
import { tempFile, tempFolder } from '../support/temp-folder.ts'
import { untilGone } from '../support/until-gone.ts'
import { eachArgs, failUnless, hangIf, startChild, trySuite, verdictsOf } from './sample-suite.ts'

/** Returns a suite that reads analytics twice, records an event, and passes if the condition `check` is true. */
const suite = (check = 'true') => `
const first = await send(analytics)
const second = await send(analytics)
const event = await send('/events', order)
${failUnless(check)}`

/** Returns a suite that reads analytics twice, with up to `attempts` attempts each, and fails if `failsIf` is true. */
const tolerantSuite = (failsIf = 'false', attempts = 1) => `
for (const name of ['first', 'second']) await attempt(${attempts}, analytics).catch(() => undefined)
if (${failsIf}) { console.log('failed in run ' + n); process.exit(6) }`

describe('convsim each', () => {
  test('reports a verdict for each injected fault', async () => {
    const { code, report } = await trySuite(suite(), '--set', 'lost-ack,forbidden')
    expect(code).toBe(0)
    expect(report.runs).toEqual([
      { fault: 'resilience:lost-ack', operation: 'createEvent', occurrence: 1, verdict: 'broke' },
      { fault: 'refusals:forbidden', operation: 'createEvent', occurrence: 1, verdict: 'unnoticed' },
      { fault: 'refusals:forbidden', operation: 'getModelAnalytics', occurrence: 1, verdict: 'unnoticed' },
      { fault: 'refusals:forbidden', operation: 'getModelAnalytics', occurrence: 2, verdict: 'unnoticed' },
    ])
    expect(report).toMatchObject({ truncated: false, summary: { made: 4, skippedRuns: 0, notMade: 0 } })
  })

  test('numbers requests across all sandboxes, even if the suite resets them', { tags: ['long'] }, async () => {
    const lines = `
for (const name of ['one', 'two', 'three']) {
  headers['x-sim-sandbox'] = name
  await fetch(control + '/reset?sandbox=' + name, { method: 'POST' })
  await call(analytics.replace('7d', name === 'two' ? '7d' : '30d'))
}`
    const { report } = await trySuite(lines, '--set', 'forbidden')
    expect(report.runs.map(({ occurrence }: { occurrence: number }) => occurrence)).toEqual([1, 2, 3])
    const requestLists = report.findings.map(({ requests }: { requests: string[] }) =>
      requests.map((line) => line.split(' ').slice(2).join(' ')).join(', '),
    )
    expect(requestLists).toEqual(['403 forbidden, 200, 200', '200, 403 forbidden, 200', '200, 200, 403 forbidden'])
  })

  test('injects drift into all items of an array, in all responses', { tags: ['long'] }, async () => {
    const check = 'first.dataPoints.every(({ date }) => date) || second.dataPoints.some(({ date }) => date)'
    const pointer = '/dataPoints/*/date'
    const { report } = await trySuite(suite(check), '--only', `drift:drop-field@getModelAnalytics${pointer}`)
    const target = { fault: 'drift:drop-field', operation: 'getModelAnalytics', occurrence: 1, pointer }
    expect(report.runs).toEqual([{ ...target, verdict: 'noticed' }])
  })

  test('skips a field that no response has, and gives it the verdict "not-reached"', { tags: ['long'] }, async () => {
    const lines = suite().replaceAll('analytics)', `'/models/00000000-0000-4000-8000-0000000000f1/analytics')`)
    const { code, report } = await trySuite(lines, '--set', 'unknown-enum')
    expect(code).toBe(1)
    const target = { operation: 'getModelAnalytics', pointer: '/recommendations/healthLevel' }
    expect(report.runs).toContainEqual(expect.objectContaining({ ...target, verdict: 'not-reached' }))
    expect(report.summary.made).toBe(0)
  })

  test('selects the same runs for the same seed, even with parallel jobs', { tags: ['long'] }, async () => {
    const flags = ['--set', 'drift', '--max-runs', '6', '--jobs', '2']
    const [first, second, other] = await Promise.all(
      [flags, flags, [...flags, '--seed', '2']].map((one) => trySuite(suite('first.messageCount > 0'), ...one)),
    )
    expect(first?.report.runs).toHaveLength(6)
    expect(second?.report.runs).toEqual(first?.report.runs)
    expect(other?.report.runs).not.toEqual(first?.report.runs)
    expect(first?.report).toMatchObject({ truncated: true, summary: { endedBy: 'max-runs', made: 6 } })
  })

  test('stops at the --time limit and reports how many runs were not executed', { tags: ['long'] }, async () => {
    // Each run takes at least a second, so --time allows the two baseline runs, but only some of the others.
    const lines = `${suite()}\nawait new Promise((resolve) => setTimeout(resolve, 1000))`
    const { code, report, stdout } = await trySuite(lines, '--set', 'drift', '--time', '15s')
    expect(code).toBe(0)
    expect(report).toMatchObject({ truncated: true, summary: { endedBy: 'time' } })
    expect(stdout).toMatch(/^\d+ runs?, \d+ not run \(--time\)\.$/m)
  })

  test('reports a run as "hung" if it does not end, and kills its processes', { tags: ['long'] }, async () => {
    const flags = ['--only', 'drift:drop-field@createEvent/eventId', '--run-timeout', '8s', '--fail-on', 'hung']
    const { code, report, read } = await trySuite(suite() + hangIf('!event.eventId'), ...flags)
    expect(code).toBe(3)
    expect(report.runs).toMatchObject([{ verdict: 'hung' }])
    expect(report.findings[0].sentence).toMatch(
      /^Hung: the command did not finish within 8 s when "drop-field" was injected into \/eventId in /,
    )
    const pids = (await read('pids'))?.match(/\d+/g) ?? []
    expect(pids).toHaveLength(2) // a failing suite runs twice
    for (const pid of pids) await untilGone(Number(pid))
  })

  test('does not wait for a detached child process, even if it inherits stdout', async () => {
    const lines = `${startChild("{ detached: true, stdio: 'inherit' }")}
      await send(analytics)
      process.exit(6)`
    const { code, read } = await trySuite(lines, '--set', 'reset')
    expect(code).toBe(6)
    const pids = (await read('pids'))?.match(/\d+/g) ?? []
    expect(pids).toHaveLength(2) // a failing suite runs twice
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL') // throws if the process has ended
  })
})

const random = 'const random = () => ({ insertId: crypto.randomUUID(), eventAt: new Date().toISOString() })\n'
const read = 'const read = (path) => attempt(1, path)\n'
const event = "const event = (eventType, more) => attempt(1, '/events', { ...order, eventType, ...more })\n"

test.each([
  ['sends another event: swallowed', "await event('a').catch(() => event('failed'))"],
  ['sends a new event with a new ID: swallowed', "await event('a', random()).catch(() => event('b', random()))"],
  ['reads another model: swallowed', "await read(analytics).catch(() => read(analytics.replace('2', '1')))"],
  ['adds an ID and the time to its retry: recovered', "try { await event('a') } catch { await event('a', random()) }"],
  [
    'retries with another value but the same ID: recovered',
    `const id = { insertId: crypto.randomUUID() }
    try { await event('a', { ...id, value: '1' }) } catch { await event('a', { ...id, value: '2' }) }`,
  ],
  ['retries with a new ID: recovered', "try { await event('a', random()) } catch { await event('a', random()) }"],
  [
    'resends the event later from a queue: recovered',
    `const queue = []
    for (const name of ['a', 'b']) await event(name).catch(() => queue.push([name, random()]))
    for (const one of queue) await event(...one)`,
  ],
])('the verdict on a client that, after its first request fails, %s', { tags: ['long'] }, async (title, lines) => {
  const { code, report } = await trySuite(random + read + event + lines, '--set', 'reset,unavailable;retry-after=0')
  const firstRuns = report.runs.filter(({ occurrence }: { occurrence: number }) => occurrence === 1)
  const verdict = title.endsWith('recovered') ? 'recovered' : 'swallowed'
  expect([code, ...verdictsOf({ runs: firstRuns })]).toEqual([0, verdict, verdict])
  // A run with the verdict `swallowed` is repeated, like a failed run.
  const notRecovered = verdictsOf(report).filter((one) => one !== 'recovered')
  expect(report.summary.repeated).toBe(notRecovered.length)
})

test.each([
  ['at the start', 1],
  ['at the end', 4 + 1],
])('a failed baseline run %s is repeated once and reported', { tags: ['long'] }, async (when, failedRun) => {
  const { code, report, stdout } = await trySuite(tolerantSuite(`n === ${failedRun}`, 3), '--set', 'reset')
  expect([code, ...verdictsOf(report)]).toEqual([0, 'recovered', 'recovered'])
  expect(report.summary.changes).toEqual([`${when}, the command failed with exit code 6`])
  expect(stdout).toMatch(new RegExp(`^The verdicts are not .*: ${when}, the command failed with exit code 6\\.$`, 'm'))
})

describe('the baseline run', { tags: ['long'] }, () => {
  const flags = ['--set', 'drop-field', '--max-runs', '21']

  test('is repeated after twenty runs and at the end', async () => {
    const { code, runCount } = await trySuite(tolerantSuite(), ...flags, '--jobs', '2')
    expect([code, runCount]).toEqual([0, 2 + 20 + 1 + 1 + 1])
  })

  test('stops further runs if it fails twice, and the failed runs since its last success are discarded', async () => {
    // Runs 3 to 21 pass. Run 22 (the twentieth run with a fault) and all later runs fail.
    const { code, runCount, stdout, stderr, report } = await trySuite(tolerantSuite('n >= 22'), ...flags)
    expect([code, runCount]).toEqual([1, 2 + 19 + 2 + 2])
    expect(verdictsOf(report)).toEqual(Array(19).fill('unnoticed'))
    expect(report).toMatchObject({ truncated: true, summary: { endedBy: 'red-baseline-run' } })
    expect(report.summary.changes).toEqual(['after 20 runs, the command failed twice, with exit code 6'])
    expect(stdout).toMatch(/^19 runs, \d+ not run \(the command failed without faults\)\.$/m)
    expect(stderr).toContain('convsim: The command fails without faults, too.')
  })
})

test.each([
  ['unnoticed', 3, '2 of 2 faults were not noticed (100%)'],
  ['unnoticed>99.9', 3, '2 of 2 faults were not noticed (100%, at most 99.9% allowed)'],
  ['unnoticed>100', 0, ''],
  ['not-resilient, hung', 0, ''],
  ['unexpected, coverage<1', 0, ''],
  ['advice', 3, 'piece of advice, and similarly in 2 more runs'],
])('with --fail-on %s, convsim each exits with code %i', { tags: ['long'] }, async (conditions, exit, sentence) => {
  const set = 'drop-field;pointer=/eventId,wrong-type;pointer=/eventId'
  const { code, stderr } = await trySuite(suite(), '--set', set, '--fail-on', conditions)
  expect(code).toBe(exit)
  expect(stderr).toContain(sentence)
})

describe('convsim each stops and gives the reason if', () => {
  const unauthorized = suite().replace('const first', 'headers.authorization = ""\nconst first')
  const controlled = suite().replace('const first', "headers['x-sim-scenario'] = 'critical'\nconst first")

  test.each<[string, string, string[], number, RegExp]>([
    ['the suite fails', suite('false'), [], 5, /without a fault, .* exit code 5,.*\n {2}the check failed\n$/],
    ['the suite sends no requests', '', [], 1, /sent no requests to the simulator/],
    ['no request gets an ordinary response', unauthorized, ['--fail-on', 'hung'], 1, /No fault can .*: 3 x 401\.$/m],
    ['all requests control the simulator', controlled, [], 1, /: 2 x 200 to a request that controls .*, 1 x 400\.$/m],
    [
      'two runs of the suite send different requests',
      `${suite()}\nif (n === 1) await send(analytics.replace('7d', '90d'))`,
      [],
      1,
      /requests or responses of two runs without faults differ.*\n {2}getModelAnalytics \?period=90d 200: 1 in the first run, 0 in a later run\n$/,
    ],
  ])('%s', async (_, lines, flags, exit, reason) => {
    const { code, stdout, stderr } = await trySuite(lines, '--set', 'reset', ...flags)
    expect([code, stdout, stderr]).toEqual([exit, '', expect.stringMatching(reason)])
  })

  test.each(['1', '2'])('no further simulator can start (--jobs %s)', { tags: ['long'] }, async (jobs) => {
    const contract = await tempFile(SMALL, 'small.yaml')
    const lines = `await call('/things').catch(() => 0)
      if (n === 3) (await import('node:fs')).rmSync('${contract}')`
    const flags = ['--contract', contract, '--set', 'reset,slow;ms=5,truncated', '--jobs', jobs]
    const { code, stdout, stderr, runCount } = await trySuite(lines, ...flags)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^convsim cannot start:\n.*small\.yaml/)])
    expect(runCount).toBeLessThan(8)
  })

  test.each([
    ['--run-timeout', /within --run-timeout 1s, so it cannot .*:\n {2}waiting\n$/],
    ['--time', /without a fault, .* within --time 1s \(for both runs without faults\), so it/],
  ])('the suite does not end within %s', async (flag, reason) => {
    // A shell starts within a second even on a busy machine.
    const endless = ['sh', '-c', 'echo waiting; exec sleep 600']
    const { code, stdout, stderr } = await run(['each', '--set', 'reset', flag, '1s', '--', ...endless])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(reason)])
  })

  test.each([
    ['does not exist', 127, 'no-such-command-here', /Command not found: no-such-command-here\./],
    ['cannot be run', 126, './package.json/x', /package\.json\/x cannot be run: spawn ENOTDIR/],
  ])('the command %s', async (_how, expected, command, reason) => {
    const { code, stderr } = await run(['each', '--', command])
    expect([code, stderr]).toEqual([expected, expect.stringMatching(reason)])
  })

  test.each([
    [['--set', 'resilence'], /--set: error: Unknown scenario "resilence"\. .*Expected resilience, drift, /],
    [['--set', 'expect-violation'], /"expect-violation" is not a fault/],
    [['--only', 'drop-field'], /"drop-field" is not the name of a run\. Expected FAULT@OPERATION/],
    [['--only', 'drift:drop-field@getModelAnalytic/x'], /Unknown operation "getModelAnalytic"\. Did you mean/],
    [['--only', 'drift:drop-field@createEvent/eventI'], /nowhere to .* mean "drift:drop-field@createEvent\/eventId"/],
    [['--only', 'resilience:reset@createPrompt'], /no request to createPrompt can get this fault/],
  ])('the flags are invalid: %j', { tags: ['long'] }, async (flags, reason) => {
    const { code, stdout, stderr } = await trySuite(suite(), ...flags)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(reason)])
  })
})

test('the clock starts at the same time in every run, and the command that repeats a run sets that time', {
  tags: ['long'],
}, async () => {
  const lines = `appendFileSync('times', (await (await fetch(control + '/clock')).json()).now + '\\n')
    await send(analytics)`
  const { stdout, read } = await trySuite(lines, '--set', 'reset', '--clock', 'real')
  const [, words = '', clock = ''] = /^ {4}convsim each (.*) --clock (\S+) -- /m.exec(stdout) ?? []
  expect(words).toBe('--only resilience:reset@getModelAnalytics#1')
  const times = (await read('times'))?.trim().split('\n') ?? []
  expect(times.length).toBeGreaterThan(2)
  expect(new Set(times.map((time) => Date.parse(time)))).toEqual(new Set([Date.parse(clock)]))
})

/** Inserts placeholders for the parts of a report that differ between machines or runs. */
const withPlaceholders = (text: string) =>
  withoutStylesheet(text)
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:...')
    .replaceAll(/\b(?!2026-01-15T12:00:00)20\d\d-\d\d-\d\dT[\d:.]+Z/g, '(now)')
    .replaceAll(/convsim \d+\.\d+\.\d+|"version": ?"\d+\.\d+\.\d+"/g, '(version)')

describe('the output', { tags: ['long'] }, () => {
  test('has its sections in order, and the JSON and HTML reports match the golden files', async () => {
    const cwd = await tempFolder()
    const guard = "process.on('uncaughtException', () => { console.log('no response'); process.exit(1) })"
    const [lines = ''] = eachArgs(suite('first.messageCount > 0')).slice(-1)
    await writeFile(join(cwd, 'suite.mjs'), `${guard}${lines}`)
    const set = 'lost-ack,drop-field;pointer=/eventId,null-required;pointer=/messageCount'
    const flags = ['--set', set, '--report', 'r.json,r.xml,r.html', '--fail-on', 'unnoticed', '--clock', frozenNow]
    const { stdout } = await run(['each', ...flags, '--', 'node', 'suite.mjs'], { cwd })
    const read = (extension: string) => readFile(join(cwd, `r.${extension}`), 'utf8')
    const golden = (extension: string, text: string) =>
      expect(withPlaceholders(text)).toMatchFileSnapshot(`../features/exec/golden/suite.golden.${extension}`)
    expect(stdout).toMatch(/^Runs:\n.*\n\nFindings:\n.*\n\nVerdicts:\n.*\n\n2 findings\n.*\n3 runs, /s)
    await compareGolden('test/command-line/each.test.ts', async () => {
      await golden('json', `${inLines(JSON.parse(await read('json')), 200)}\n`)
      await golden('html', await read('html'))
    })
    expect(XMLValidator.validate(await read('xml'))).toBe(true)
    expect(await read('html')).not.toMatch(/<script|<link|<img|\ssrc=|url\(/i)
  })

  test('escapes a line break in a query that differs between runs', async () => {
    const lines = `${suite()}\nawait send(analytics + '&q=x%0A' + n)`
    const { code, stderr } = await trySuite(lines, '--set', 'reset', '--log-format', 'json')
    expect(code).toBe(1)
    expect(stderr).toContain('q=x\\n1')
  })

  test('consists of JSON lines with --log-format json', async () => {
    const flags = ['--only', 'drift:drop-field@createEvent/eventId', '--log-format', 'json']
    const { stdout, stderr } = await trySuite(suite(), ...flags)
    expect(stdout).toBe('')
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
  })
})
