import { maxValues } from '../../src/core/strict-json.ts'
import { largeStates } from './large-states.ts'
import { type BenchRequest, newEvent, warmAnalytics } from './requests.ts'

/** Requests that are as expensive as their size allows, with the name of what they are aimed at. */
export interface HostileRequests {
  readonly name: string
  readonly requests: readonly HostileRequest[]
}

/** A request whose path begins at the origin. */
export interface HostileRequest extends Omit<BenchRequest, 'method'> {
  readonly method: BenchRequest['method'] | 'PUT'
}

/** Just below the default of `--body-limit`. */
const maxBytes = 1024 * 1024 - 100

/** Just below Node's limit for all headers of a request. */
const maxHeaderBytes = 15 * 1024

const json = { authorization: 'Bearer bench', 'content-type': 'application/json' }

/** Repeats a text until it is as long as the body may be, with some room for the rest of the body. */
const fill = (part: string, bytes = maxBytes - 1000) => part.repeat(Math.floor(bytes / part.length))

/** As many items or members as a body may have, or as fit in. */
const items = (item: (index: number) => string, most = maxValues - 100) => {
  const parts: string[] = []
  for (let length = 0, index = 0; index < most; index += 1) {
    const part = item(index)
    length += part.length + 1
    if (length > maxBytes - 1000) break
    parts.push(part)
  }
  return parts.join(',')
}

const post = (path: string, body: string): HostileRequest => ({ method: 'POST', path, headers: json, body })

const event = (members: string) => {
  const { body = '' } = newEvent()
  return post('/v1/events', `${body.slice(0, -1)},${members}}`)
}

const prompt = (content: string) =>
  post('/v1/prompts', JSON.stringify({ name: 'hostile', components: [{ content, type: 'system' }] }))

const analytics = (headers: Readonly<Record<string, string>>): HostileRequest => ({
  ...warmAnalytics,
  path: `/v1${warmAnalytics.path}`,
  headers: { ...warmAnalytics.headers, ...headers },
})

const get = (path: string): HostileRequest => ({ method: 'GET', path, headers: {} })

/** Returns a request that is answered with 503, without a demanded wait. */
const failing = (request: HostileRequest): HostileRequest => ({
  ...request,
  headers: { ...request.headers, 'x-sim-scenario': 'unavailable;retry-after=0' },
})

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** Both as many members and as many bytes as a body may have. */
const largeProperties = `"properties":{${items((index) => `"m${index}${'x'.repeat(88)}":${index}`)}}`

const levels = 45

/** An object in an object in an object, the innermost of which is large, and a pointer to each, so that each value contains it. */
const nestedProperties = `"properties":${'{"a":'.repeat(levels)}{${items((index) => `"m${index}":${index}`)}}${'}'.repeat(levels)}`
const nestedPointers = times(levels, (level) => `"/properties${'/a'.repeat(level)}":0`).join(',')

/** An event that is sent several times. */
const repeated = withoutRepeats(event(`"insertId":"hostile",${largeProperties}`))

/** Rules that each compare the same large part of a body. */
const rules = JSON.stringify({
  rules: times(1000, (index) => ({
    match: { body: { '/properties': Object.fromEntries(times(3, (at) => [`m${at}`, at])), '/value': `${index}` } },
    scenario: 'unavailable',
  })),
})

/** A request for the control plane's journal after bodies of many quotes. */
const quotes = times(15, () => post('/v1/events', fill('"\\"\\" ')))

/** All attacks that are known, each of them once successful or next to one that was. */
export const hostileRequests: readonly HostileRequests[] = [
  { name: 'Prefer: spaces before a quote', requests: [analytics({ prefer: `a${' '.repeat(maxHeaderBytes)}"x"y` })] },
  { name: 'X-Sim-Sequence: stars', requests: [analytics({ 'x-sim-sequence': ' *'.repeat(990) })] },
  { name: 'Authorization: tildes', requests: [analytics({ authorization: `Bearer ${'~a'.repeat(6000)}!` })] },
  { name: 'path of slashes', requests: [get(`/v1/models/${'/'.repeat(maxHeaderBytes)}`)] },
  { name: 'query of parameters', requests: [get(`/v1${warmAnalytics.path}&${'a&'.repeat(7000)}`)] },
  { name: 'value of digits', requests: [event(`"value":"${fill('1')}x","valueType":"numeric"`)].map(withoutRepeats) },
  { name: 'eventAt of T', requests: [event(`"eventAt":"${fill('T')}"`)].map(withoutRepeats) },
  { name: 'uuid of digits', requests: [event(`"conversationId":"${fill('a')}"`)] },
  { name: 'properties of many members', requests: times(3, () => event(largeProperties)).map(withoutRepeats) },
  { name: 'members named by numbers', requests: [event(items((index) => `"${index * 65536}":0`))] },
  { name: 'a text of escapes', requests: [event(`"note":"${fill('\\"\\\\')}"`)] },
  { name: 'more values than allowed', requests: [event(`"note":[${items(() => '1e9', maxBytes)}]`)] },
  { name: 'open lists', requests: [post('/v1/events', fill('['))] },
  { name: 'numbers', requests: [event(`"note":[${items(() => '1e9')}]`)] },
  {
    name: 'components that are wrong',
    requests: [post('/v1/prompts', `{"name":1,"components":[${items(() => '1')}]}`)],
  },
  { name: 'tags that are wrong', requests: [post('/v1/prompts', `{"name":"a","tags":[${items(() => '1')}]}`)] },
  { name: 'placeholders', requests: [prompt(items((index) => `{{${index * 65536}}}`))] },
  { name: 'open placeholders', requests: [prompt(fill('{{{')), prompt(fill('{{a.'))] },
  { name: 'a replayed event of full size', requests: times(5, () => repeated) },
  { name: 'a thousand rules', requests: [{ ...post('/__sim/scenarios', rules), method: 'PUT' }] },
  {
    name: 'an event that a thousand rules compare',
    requests: times(3, () => event(largeProperties)).map(withoutRepeats),
  },
  {
    name: 'rules that are wrong',
    requests: [
      { ...post('/__sim/scenarios', `{"rules":[${items(() => '{"scenario":""}')}]}`), method: 'PUT' },
      {
        ...post('/__sim/scenarios', JSON.stringify({ rules: times(1000, () => ({ scenario: 'x'.repeat(900) })) })),
        method: 'PUT',
      },
    ],
  },
  { name: 'no rules again', requests: [{ method: 'DELETE', path: '/__sim/scenarios', headers: json }] },
  { name: 'a journal of 16 MB', requests: times(16, () => event(largeProperties)).map(withoutRepeats) },
  { name: 'verify: a part of the body', requests: [post('/__sim/verify', `{"match":{"body":{${largeProperties}}}}`)] },
  {
    name: 'verify: a pointer',
    requests: [post('/__sim/verify', `{"match":{"body":{"/properties":{}}},"count":{"exactly":0}}`)],
  },
  { name: 'an object in an object in ...', requests: times(3, () => event(nestedProperties)) },
  {
    name: 'verify: nested pointers',
    requests: [post('/__sim/verify', `{"match":{"body":{${nestedPointers}}},"count":{"exactly":0}}`)],
  },
  {
    name: 'count: a part of the body',
    requests: [post('/__sim/requests/count', `{"match":{"body":{${largeProperties}}}}`)],
  },
  { name: 'requests with their bodies', requests: [get('/__sim/requests?bodies=true&limit=1000')] },
  {
    name: 'explain',
    requests: [
      post(
        '/__sim/explain',
        JSON.stringify({ method: 'POST', path: '/v1/events', body: JSON.parse(event(largeProperties).body ?? '') }),
      ),
    ],
  },
  {
    name: 'retries: failed events of full size',
    requests: [...times(15, () => failing(event(largeProperties))), get('/__sim/retries?limit=100')],
  },
  {
    name: 'retries: a hundred calls that failed fifty times',
    requests: [
      ...times(5000, (index) => failing(analytics({ authorization: `Bearer caller-${index % 100}` }))),
      get('/__sim/retries?limit=100'),
    ],
  },
  { name: 'bodies of quotes', requests: quotes },
  { name: 'requests with bodies of quotes', requests: [get('/__sim/requests?bodies=true&limit=1000')] },
  {
    name: 'all reports',
    requests: ['json', 'junit', 'markdown', 'html'].map((format) => get(`/__sim/report?format=${format}`)),
  },
  ...largeStates,
]

/** Removes the first of two members of the same name, which the event of the bench and the attack have. */
function withoutRepeats(request: HostileRequest): HostileRequest {
  return { ...request, body: JSON.stringify(JSON.parse(request.body ?? '{}')) }
}
