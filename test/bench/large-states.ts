import { deriveUuid } from '../../src/base/core/seeded.ts'
import type { HostileRequests } from './hostile-requests.ts'
import { type BenchRequest, newEvent } from './requests.ts'

/** The maximum size of an import. */
const maxImportBytes = 16 * 1024 * 1024

const sandbox = 'large'
const headers = { 'content-type': 'application/json' }
const timestamp = '2026-01-15T12:00:00.000Z'

const uuid = (kind: number, index: number) =>
  `${String(index).padStart(8, '0')}-0000-4000-8000-${String(kind).padStart(12, '0')}`

/** Returns an event as it appears in an export. Each event has its own conversation. */
const event = (index: number, properties: object = { currency: 'EUR', plan: 'growth', seats: index % 30 }) => ({
  eventId: uuid(1, index),
  fields: {
    eventType: 'upgrade_purchased',
    productId: uuid(2, index % 4),
    value: '149.00',
    valueType: 'currency',
    influence: 'positive',
    externalConversationId: `chat-${index}`,
    externalUserId: `customer-${index % 100}`,
    eventAt: timestamp,
    insertId: `run-${index}`,
    properties,
  },
  impact: 1,
  sampledOut: false,
  receivedAt: timestamp,
  replays: 0,
})

const version = (prompt: number, index: number) => ({
  versionId: uuid(3, prompt * 2000 + index),
  version: index + 1,
  fingerprint: 'a'.repeat(64),
  active: index === 0,
  createdAt: timestamp,
  componentIds: [uuid(4, prompt * 2000 + index)],
  variables: [],
  fields: { name: 'hostile', components: [{ type: 'system', content: `version ${index}` }] },
})

const prompt = (index: number, versions: number) => ({
  promptId: uuid(5, index),
  versions: Array.from({ length: versions }, (_, at) => version(index, at)),
})

/** Joins parts until they nearly fill an import, leaving some room for the rest of the document. */
function fill(part: (index: number) => string, separator = ','): string {
  const parts: string[] = []
  for (let length = 0, index = 0; ; index += 1) {
    const text = part(index)
    length += Buffer.byteLength(text) + separator.length
    if (length > maxImportBytes - 1000) return parts.join(separator)
    parts.push(text)
  }
}

const manyEvents = (count: number) => times(count, (index) => JSON.stringify(event(index))).join()
const fillWithEvents = () => fill((index) => JSON.stringify(event(index)))

const fillWithPrompts = (versions: number) => fill((index) => JSON.stringify(prompt(index, versions)))

const exportOf = (events: string, prompts = '') =>
  `{"format":1,"quality":{"weight":0.1},"events":[${events}],"prompts":[${prompts}]}`

const post = (path: string, body: string): BenchRequest => ({
  method: 'POST',
  path: `/__sim/${path}?sandbox=${sandbox}`,
  headers,
  body,
})

/** Returns an attack that reads a control-plane resource of the sandbox, by default the export. */
const read = (name: string, path = 'export') =>
  attack(name, () => [
    { method: 'GET', path: `/__sim/${path}${path.includes('?') ? '&' : '?'}sandbox=${sandbox}`, headers: {} },
  ])

/** Returns a request to the simulated service in the sandbox. */
const postToService = (path: string, body: string): BenchRequest => ({
  method: 'POST',
  path,
  headers: { ...headers, authorization: `Bearer bench~${sandbox}` },
  body,
})

export const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))

/** Returns an attack that creates its requests when they are read, since each can be as large as an import. */
const attack = (name: string, make: () => readonly BenchRequest[]): HostileRequests => ({
  name,
  get requests() {
    return make()
  },
})

const importOf = (name: string, body: () => string) => attack(`import: ${name}`, () => [post('import', body())])

const megabyte = 'x\\"'.repeat(330_000)

/** Attacks that import or store large amounts of data in a sandbox, or read the data back. */
export const largeStates: readonly HostileRequests[] = [
  importOf('20,000 events', () => exportOf(manyEvents(20_000))),
  read('export of 20,000 events'),
  read('quality of 20,000 conversations', 'quality'),
  read('events, 10,000 per page', 'events?limit=10000'),
  importOf('9,900 events', () => exportOf(manyEvents(9900))),
  attack('restore of a snapshot', () => [
    post('snapshots', '{}'),
    post(`snapshots/${deriveUuid(['1', sandbox, 'snapshot', 0])}/restore`, ''),
  ]),
  importOf('nothing', () => exportOf('')),
  attack('20 prompts of 1 MB each', () =>
    times(20, (index) =>
      postToService('/v1/prompts', `{"name":"${index}","components":[{"type":"system","content":"${megabyte}"}]}`),
    ),
  ),
  read('20 MB of prompts', 'prompts'),
  read('export of 20 MB of prompts'),
  importOf('events', () => exportOf(fillWithEvents())),
  attack('an event after an import', () => [postToService('/v1/events', newEvent().body ?? '')]),
  read('export after an import'),
  importOf('events, the last of which is invalid', () => exportOf(`${fillWithEvents()},{"eventId":1}`)),
  importOf('events, all of them invalid', () => exportOf(fill(() => '{"eventId":1}'))),
  importOf('a document that ends with invalid JSON', () => `${exportOf(fillWithEvents())}]`),
  importOf('events of 1 MB each', () =>
    exportOf(times(15, (index) => JSON.stringify(event(index, { text: JSON.parse(`"${megabyte}"`) }))).join()),
  ),
  read('export of events of 1 MB each'),
  importOf('prompts', () => exportOf('', fillWithPrompts(1))),
  read('prompts after an import', 'prompts'),
  importOf('prompts with 1,000 versions each', () => exportOf('', fillWithPrompts(1000))),
  read('export of prompts with 1,000 versions each'),
  importOf('a prompt with many versions', () => {
    const versions = fill((index) => JSON.stringify(version(0, index)))
    return exportOf('', `{"promptId":"${uuid(5, 0)}","versions":[${versions}]}`)
  }),
  importOf('an event with many values', () =>
    exportOf(JSON.stringify(event(0, { values: 0 })).replace('"values":0', `"values":[${fill(() => '[]')}]`)),
  ),
  importOf('empty lists', () => exportOf(fill(() => '[]'))),
  importOf('unclosed lists', () => fill(() => '[', '')),
  importOf('a string of escapes', () => `{"format":"${fill(() => '\\"', '')}"}`),
  importOf('an unterminated string', () => `{"format":"${fill(() => '\\"', '')}`),
  importOf('line breaks', () => `${fill(() => '\n', '')}]`),
  importOf('members', () => `{${fill((index) => `"m${index}":0`)}}`),
  attack('deletion of the large sandbox', () => [{ method: 'DELETE', path: `/__sim/sandboxes/${sandbox}`, headers }]),
]
