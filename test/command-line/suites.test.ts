// @module-tag long
import { expect, test } from 'vitest'
import { failUnless, trySuite, verdictsOf } from './sample-suite.ts'

/** The code of a typical client, which tries up to `attempts` times and respects `Retry-After`. */
const client = `
async function request(attempts, path, body) {
  for (let attempt = 1; ; attempt += 1) {
    const response = await call(path, body).catch(() => undefined)
    const result = await response?.json().catch(() => undefined)
    if (response?.ok && result) return result
    const canRetry = !response || response.ok || response.status === 429 || response.status >= 500
    if (attempt === attempts || !canRetry) throw new Error('no successful response')
    const after = response?.headers.get('retry-after') // seconds, or a date
    const retryAfterMs = /^\\d+$/.test(after ?? '') ? 1000 * after : Date.parse(after) - Date.now()
    await new Promise((resolve) => setTimeout(resolve, after ? retryAfterMs + 100 : 100 * attempt))
  }
}`

/** Returns code that reads analytics and records an event. `swallow`: code that ignores the failure of a call. */
const calls = (attempts: number, swallow = '') => `${client}
const { recommendations, conversationCount, messageCount } = (await request(${attempts}, analytics)${swallow}) ?? {}
const order42 = { ...order, insertId: 'order-42', externalConversationId: 'chat-42' }
const { success, eventId } = (await request(${attempts}, '/events', order42)${swallow}) ?? {}`

const idCheck = '/^[\\da-f]{8}-/.test(eventId)'
const checkAll = failUnless(`/^(healthy|needs_attention|critical)$/.test(recommendations.healthLevel) &&
  typeof conversationCount === 'number' && typeof messageCount === 'number' && success === true && ${idCheck}`)

/** The drift scenarios for the fields that the sample suites read. */
const allDrifts = [
  'unknown-enum;pointer=/recommendations/healthLevel',
  ...['/recommendations/healthLevel', '/conversationCount', '/messageCount', '/success', '/eventId'].flatMap(
    (pointer) => ['drop-field', 'wrong-type', 'null-required'].map((name) => `${name};pointer=${pointer}`),
  ),
]

test.each<[string, string, readonly string[], object, readonly RegExp[]]>([
  [
    'with a good client recovers from each fault, and notices drift in each field that it reads',
    calls(3) + checkAll,
    allDrifts,
    { code: 0, kinds: [], resilience: ['recovered'], drift: ['noticed'] },
    [/^No problems found$/m, /^resilience: 19 of 19 good \(.*: 19 recovered\.$/m, /^drift: 16 of 16 good \(100/m],
  ],
  [
    'that swallows failures still passes, but its calls succeed only if the fault merely delays the response',
    calls(1, '.catch(() => undefined)') + failUnless(`eventId === undefined || ${idCheck}`),
    ['null-required;pointer=/eventId'],
    { code: 3, kinds: ['not-resilient'], resilience: ['recovered', 'swallowed'], drift: ['noticed'] },
    [/^resilience: 2 of 19 good \(10\.5%\): 2 recovered, 17 "green, but the failure was swallowed"\.$/m],
  ],
  [
    'without assertions recovers, but notices no drift',
    calls(3),
    ['drop-field;pointer=/conversationCount', 'wrong-type;pointer=/messageCount'],
    { code: 3, kinds: ['unnoticed'], resilience: ['recovered'], drift: ['unnoticed'] },
    [
      /Unnoticed: the command passed although "drop-field" was injected into \/conversationCount in the responses of getModel/,
      /^getModelAnalytics: no test notices when 1 field drifts \(wrong-type\): \/messageCount\.$/m,
    ],
  ],
])('a suite %s', async (_, lines, drifts, outcome, sentences) => {
  const flags = ['--set', `resilience,${drifts.join(',')}`, '--jobs', '2', '--fail-on', 'not-resilient,unnoticed,hung']
  const { code, stdout, report } = await trySuite(lines, ...flags)
  const verdictsOn = (set: string) => {
    const runs = report.runs.filter(({ fault }: { fault: string }) => fault.startsWith(`${set}:`))
    return [...new Set(verdictsOf({ runs }))].sort()
  }
  const kinds = [...new Set(report.findings.map(({ kind }: { kind: string }) => kind))]
  expect({ code, kinds, resilience: verdictsOn('resilience'), drift: verdictsOn('drift') }).toEqual(outcome)
  for (const sentence of sentences) expect(stdout).toMatch(sentence)
})
