import type { JsonObject } from '../core/json.ts'
import { bodyOf, parametersOf } from './input-schemas.ts'
import {
  askOrThrow,
  compact,
  cutBody,
  describeRules,
  listOf,
  objectOf,
  pageSize,
  pick,
  type Tool,
  ToolError,
} from './tool.ts'

const filters = 'sandbox operation status method path origin violations advice damage traceId order since cursor'

/** Lists requests, and the calls whose retries broke a rule. */
export const findRequests: Tool = {
  name: 'find_requests',
  description:
    'Find what the client sent and got, the newest first, 20 at a time. "badRetries" lists calls whose retries broke a rule, with the wait before each attempt.',
  readOnly: true,
  input: (document) => parametersOf(document, 'listRequests', ...filters.split(' ')),
  async run(args, { ask }) {
    const query = { order: 'newest', limit: pageSize, ...args }
    const page = await askOrThrow(ask, { path: '/requests', query }, 'list_scenarios names the operations.')
    const isFirst = args['cursor'] === undefined
    const retries = { path: '/retries', query: { sandbox: args['sandbox'], limit: 100 } }
    const chains = isFirst ? listOf(await askOrThrow(ask, retries), 'chains').filter(hasFindings) : []
    const nothing = 'No request matches. {"sandbox": "*"} asks for those of all sandboxes.'
    return compact({
      requests: listOf(page, 'requests').map(showExchange),
      ...pick(page, 'total', 'next', 'dropped'),
      badRetries: chains.slice(0, pageSize).map(showChain),
      hint: page['total'] === 0 ? nothing : undefined,
    })
  },
}

/** Explains a recorded request, or one that was never sent. */
export const explainRequest: Tool = {
  name: 'explain_request',
  description:
    'Say why a recorded request ("id") was answered so, with its retries; or how one that was not sent ("method" and "path") would be answered now.',
  readOnly: true,
  input: (document) => ({
    id: { type: 'string', description: 'The id of a recorded request: req-7.' },
    ...parametersOf(document, 'explain', 'sandbox'),
    ...bodyOf(document, 'explain'),
  }),
  async run({ id, sandbox, ...body }, { ask }) {
    if (id === undefined && (body['method'] ?? body['path']) === undefined)
      throw new ToolError('Give the "id" of a recorded request (find_requests lists them), or "method" and "path".')
    if (id === undefined) {
      const explained = await askOrThrow(ask, { method: 'POST', path: '/explain', query: { sandbox }, body })
      const answer = objectOf(explained, 'answer')
      return compact({ status: answer['status'], ...showDecision(explained), body: cutBody(answer['body']) })
    }
    const path = `/requests/${encodeURIComponent(String(id))}`
    const entry = await askOrThrow(ask, { path }, 'find_requests lists the ids.')
    const query = { sandbox: entry['sandbox'], request: id }
    const [chain] = listOf(await askOrThrow(ask, { path: '/retries', query }), 'chains')
    const [sent, got] = ['request', 'answer'].map((name) => {
      const { headers, body } = objectOf(entry, name)
      return compact({ headers, body: cutBody(body) })
    })
    return compact({ ...showExchange(entry), ...showDecision(entry), sent, got, retries: chain && showChain(chain) })
  },
}

/** Verifies the number of matching requests. */
export const verifyRequests: Tool = {
  name: 'verify_requests',
  description:
    'Check how often the client sent a matching request. If the count is not as expected, "nearMisses" names the closest requests and the fields that differ.',
  readOnly: true,
  input: (document) => ({ ...parametersOf(document, 'verify', 'sandbox'), ...bodyOf(document, 'verify') }),
  async run({ sandbox, ...body }, { ask }) {
    const question = { method: 'POST', path: '/verify', query: { sandbox }, body }
    const verdict = await askOrThrow(ask, question, 'list_scenarios names the operations.')
    return compact({ ...verdict, nearMisses: listOf(verdict, 'nearMisses').slice(0, 3) })
  },
}

function showExchange(entry: JsonObject): JsonObject {
  const [request, answer, { outcome }] = ['request', 'answer', 'delivery'].map((name) => objectOf(entry, name)) as Parts
  return compact({
    id: entry['id'],
    call: `${request['method']} ${request['path']}${request['query'] && '?'}${request['query']}`,
    ...pick(answer, 'status', 'origin'),
    ...pick(entry, 'operation', 'sandbox', 'now', 'scenarios'),
    delivery: outcome === 'delivered' ? undefined : outcome,
    ...showRules(entry),
  })
}

type Parts = [JsonObject, JsonObject, JsonObject]

const showRules = (entry: JsonObject) => ({
  violations: describeRules(entry, 'violations'),
  advice: describeRules(entry, 'advice'),
})

const showDecision = (entry: JsonObject) => ({
  ...pick(entry, 'why', 'operation', 'stage', 'rule', 'scenarios', 'damage', 'delayMs'),
  ...showRules(entry),
})

const hasFindings = (chain: JsonObject) => findingsOf(chain).length > 0

const findingsOf = (chain: JsonObject) =>
  listOf(chain, 'attempts').flatMap((attempt) => listOf(attempt, 'findings').map(({ sentence }) => String(sentence)))

/** Returns a call with its latest eight attempts, and the sentences about all. */
const showChain = (chain: JsonObject): JsonObject => ({
  call: `${chain['method']} ${chain['path']}`,
  attempts: listOf(chain, 'attempts')
    .slice(-8)
    .map((attempt) => pick(attempt, 'id', 'status', 'waitedMs', 'retryAfterMs')),
  findings: [...new Set(findingsOf(chain))],
})
