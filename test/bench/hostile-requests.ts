import { maxValues } from '../../src/base/core/strict-json.ts'
import { largeStates, times } from './large-states.ts'
import { type BenchRequest, newEvent, warmAnalytics } from './requests.ts'

/** Requests that are as expensive to process as their size allows. */
export interface HostileRequests {
  readonly name: string
  readonly requests: readonly BenchRequest[]
}

/** A size just below the default value of `--body-limit`. */
const maxBytes = 1024 * 1024 - 100

/** A size just below Node's limit on the total size of a request's headers. */
const maxHeaderBytes = 15 * 1024

const jsonHeaders = { authorization: 'Bearer bench', 'content-type': 'application/json' }

/** Repeats a string up to the body limit, leaving some room for the rest of the body. */
const fill = (part: string) => part.repeat(Math.floor((maxBytes - 1000) / part.length))

/** Returns `maxItems` comma-separated items or members, or as many as the body limit allows, if fewer. */
const items = (item: (index: number) => string, maxItems = maxValues - 100) => {
  const parts: string[] = []
  for (let length = 0, index = 0; index < maxItems; index += 1) {
    const part = item(index)
    length += part.length + 1
    if (length > maxBytes - 1000) break
    parts.push(part)
  }
  return parts.join(',')
}

const post = (path: string, body: string): BenchRequest => ({ method: 'POST', path, headers: jsonHeaders, body })

const event = (members: string) => {
  const { body = '' } = newEvent()
  return post('/v1/events', `${body.slice(0, -1)},${members}}`)
}

const prompt = (content: string) =>
  post('/v1/prompts', JSON.stringify({ name: 'hostile', components: [{ content, type: 'system' }] }))

const analytics = (headers: Readonly<Record<string, string>>): BenchRequest => ({
  ...warmAnalytics,
  path: `/v1${warmAnalytics.path}`,
  headers: { ...warmAnalytics.headers, ...headers },
})

const get = (path: string): BenchRequest => ({ method: 'GET', path, headers: {} })

/** Makes a request fail with a 503 that allows an immediate retry. */
const failing = (request: BenchRequest): BenchRequest => ({
  ...request,
  headers: { ...request.headers, 'x-sim-scenario': 'unavailable;retry-after=0' },
})

/** Properties with as many members and bytes as a body can have. */
const largeProperties = `"properties":{${items((index) => `"m${index}${'x'.repeat(88)}":${index}`)}}`

const levels = 45

const innermost = `{${items((index) => `"m${index}":${index}`)}}`
/** Objects nested around the innermost one, and a pointer to each level. Every pointer selects a large value. */
const nestedProperties = `"properties":${'{"a":'.repeat(levels)}${innermost}${'}'.repeat(levels)}`
const nestedPointers = times(levels, (level) => `"/properties${'/a'.repeat(level)}":0`).join(',')

const replayedEvent = withoutDuplicates(event(`"insertId":"hostile",${largeProperties}`))

/** Rules that are all checked against the same large part of a body. */
const rules = JSON.stringify({
  rules: times(1000, (index) => ({
    match: { body: { '/properties': Object.fromEntries(times(3, (at) => [`m${at}`, at])), '/value': `${index}` } },
    scenario: 'unavailable',
  })),
})

const listWithBodies = get('/__sim/requests?bodies=true&limit=1000')

const attack = (name: string, ...requests: readonly BenchRequest[]): HostileRequests => ({ name, requests })

const putRules = (body: string): BenchRequest => ({ ...post('/__sim/scenarios', body), method: 'PUT' })

const largeEvents = (count: number) => times(count, () => withoutDuplicates(event(largeProperties)))

/** All known attacks, with setup and cleanup. Each attack, or a close variant of it, succeeded in an old version. */
export const hostileRequests: readonly HostileRequests[] = [
  attack('Prefer: spaces before a quote', analytics({ prefer: `a${' '.repeat(maxHeaderBytes)}"x"y` })),
  attack('X-Sim-Sequence: stars', analytics({ 'x-sim-sequence': ' *'.repeat(990) })),
  attack('Authorization: tildes', analytics({ authorization: `Bearer ${'~a'.repeat(6000)}!` })),
  attack('path: slashes', get(`/v1/models/${'/'.repeat(maxHeaderBytes)}`)),
  attack('query: many parameters', get(`/v1${warmAnalytics.path}&${'a&'.repeat(7000)}`)),
  attack('value: digits', withoutDuplicates(event(`"value":"${fill('1')}x","valueType":"numeric"`))),
  attack('eventAt: the letter T', withoutDuplicates(event(`"eventAt":"${fill('T')}"`))),
  attack('conversationId: hex digits', event(`"conversationId":"${fill('a')}"`)),
  attack('properties: many members', ...largeEvents(3)),
  attack('members with numbers as names', event(items((index) => `"${index * 65536}":0`))),
  attack('a string of escapes', event(`"note":"${fill('\\"\\\\')}"`)),
  attack('more values than allowed', event(`"note":[${items(() => '1e9', maxBytes)}]`)),
  attack('unclosed lists', post('/v1/events', fill('['))),
  attack('numbers', event(`"note":[${items(() => '1e9')}]`)),
  attack('invalid components', post('/v1/prompts', `{"name":1,"components":[${items(() => '1')}]}`)),
  attack('invalid tags', post('/v1/prompts', `{"name":"a","tags":[${items(() => '1')}]}`)),
  attack('placeholders', prompt(items((index) => `{{${index * 65536}}}`))),
  attack('unclosed placeholders', prompt(fill('{{{')), prompt(fill('{{a.'))),
  attack('replays of an event of maximum size', ...times(5, () => replayedEvent)),
  attack('a thousand rules', putRules(rules)),
  attack('events matched against a thousand rules', ...largeEvents(3)),
  attack(
    'invalid rules',
    putRules(`{"rules":[${items(() => '{"scenario":""}')}]}`),
    putRules(JSON.stringify({ rules: times(1000, () => ({ scenario: 'x'.repeat(900) })) })),
  ),
  attack('deletion of the rules', { method: 'DELETE', path: '/__sim/scenarios', headers: jsonHeaders }),
  attack('a journal of 16 MB', ...largeEvents(16)),
  attack('verify: a part of the body', post('/__sim/verify', `{"match":{"body":{${largeProperties}}}}`)),
  attack('verify: a pointer', post('/__sim/verify', `{"match":{"body":{"/properties":{}}},"count":{"exactly":0}}`)),
  attack('nested objects', ...times(3, () => event(nestedProperties))),
  attack(
    'verify: nested pointers',
    post('/__sim/verify', `{"match":{"body":{${nestedPointers}}},"count":{"exactly":0}}`),
  ),
  attack('count: a part of the body', post('/__sim/requests/count', `{"match":{"body":{${largeProperties}}}}`)),
  attack('list of requests with bodies', listWithBodies),
  attack(
    'explain',
    post(
      '/__sim/explain',
      `{"method":"POST","path":"/v1/events","body":${withoutDuplicates(event(largeProperties)).body}}`,
    ),
  ),
  attack(
    'retries: failed events of maximum size',
    ...times(15, () => failing(event(largeProperties))),
    get('/__sim/retries?limit=100'),
  ),
  attack(
    'retries: a hundred calls that failed fifty times each',
    ...times(5000, (index) => failing(analytics({ authorization: `Bearer caller-${index % 100}` }))),
    get('/__sim/retries?limit=100'),
  ),
  attack('bodies of quotes', ...times(15, () => post('/v1/events', fill('"\\"\\" ')))),
  attack('list of requests with bodies of quotes', listWithBodies),
  attack('reports', ...['json', 'junit', 'markdown', 'html'].map((format) => get(`/__sim/report?format=${format}`))),
  ...largeStates,
]

/** Removes duplicate members. If the benchmark event and the attack set the same member, the attack's value is kept. */
function withoutDuplicates(request: BenchRequest): BenchRequest {
  return { ...request, body: JSON.stringify(JSON.parse(request.body ?? '{}')) }
}
