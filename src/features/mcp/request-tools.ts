import type { Json, JsonObject } from '../../base/core/json.ts'
import { askOrThrow, compact, listOf, objectOf, pageSize, pick, type Tool, ToolError } from './tool.ts'

const filters = 'sandbox operation status method path origin violations advice damage traceId order since cursor'
const idHint = 'Or give the "id" of a recorded request: find_requests lists them.'

export const findRequests: Tool = {
  name: 'find_requests',
  description: 'Find what the client sent and got, newest first, 20 at a time, and the calls with "badRetries".',
  input: { listRequests: filters },
  async run(args, { ask }) {
    const query = { order: 'newest', limit: pageSize, ...args }
    const page = await askOrThrow(ask, { path: '/requests', query })
    const retries = { path: '/retries', query: { sandbox: args['sandbox'], limit: 100 } }
    const chains = args['cursor'] === undefined ? listOf(await askOrThrow(ask, retries), 'chains') : []
    const bad = chains.map(showChain).filter(({ findings }) => findings !== undefined)
    return compact({
      requests: listOf(page, 'requests').map(showExchange),
      ...pick(page, 'total', 'next', 'dropped'),
      badRetries: bad.slice(0, pageSize),
      hint: page['total'] === 0 ? 'No request matches. {"sandbox": "*"} asks for those of all sandboxes.' : undefined,
    })
  },
}

export const explainRequest: Tool = {
  name: 'explain_request',
  description:
    'Say why a recorded request ("id") got this response, or how another ("method" and "path") would be handled now.',
  input: { explain: 'sandbox' },
  ownInput: { id: { type: 'string', description: 'The id of a recorded request: req-7.' } },
  async run({ id, sandbox, ...body }, { ask }) {
    if (id === undefined) {
      const explained = await askOrThrow(ask, { method: 'POST', path: '/explain', query: { sandbox }, body }, idHint)
      const response = objectOf(explained, 'response')
      return compact({ status: response['status'], ...showDecision(explained), body: cutBody(response['body']) })
    }
    const [alien] = Object.keys(compact(body))
    if (alien !== undefined) throw new ToolError(`Give "id", or "method" and "path": with "id" goes no "${alien}".`)
    const path = `/requests/${encodeURIComponent(String(id))}`
    const entry = await askOrThrow(ask, { path }, 'find_requests lists the ids.')
    const retries = { path: '/retries', query: { sandbox: entry['sandbox'], request: id } }
    const chains = listOf(await askOrThrow(ask, retries), 'chains')
    const [sent, got] = ['request', 'response'].map((name) => {
      const { headers, body } = objectOf(entry, name)
      return compact({ headers, body: cutBody(body) })
    })
    return compact({ ...showExchange(entry), ...showDecision(entry), sent, got, retries: chains.map(showChain) })
  },
}

export const verifyRequests: Tool = {
  name: 'verify_requests',
  description:
    'Check how often the client sent a matching request. Else "nearMisses" has the closest ones and what differs.',
  input: { verify: 'sandbox' },
  async run({ sandbox, ...body }, { ask }) {
    const verdict = await askOrThrow(ask, { method: 'POST', path: '/verify', query: { sandbox }, body })
    return compact({ ...verdict, nearMisses: listOf(verdict, 'nearMisses').slice(0, 3) })
  },
}

function showExchange(entry: JsonObject): JsonObject {
  const { method, path, query } = objectOf(entry, 'request')
  const { outcome } = objectOf(entry, 'delivery')
  return compact({
    id: entry['id'],
    call: `${method} ${path}${query && '?'}${query}`,
    ...pick(objectOf(entry, 'response'), 'status', 'origin'),
    ...pick(entry, 'operation', 'sandbox', 'now', 'scenarios'),
    delivery: outcome === 'delivered' ? undefined : outcome,
    ...showRules(entry),
  })
}

const showDecision = (entry: JsonObject) => ({
  ...pick(entry, 'why', 'operation', 'stage', 'rule', 'scenarios', 'damage', 'delayMs'),
  ...showRules(entry),
})

/** Returns the sentences of violations and advice: `body/value: must be string`. */
function showRules(entry: JsonObject) {
  const describe = (one: JsonObject) => `${one['in']}${one['pointer']}: ${one['message']}`
  return { violations: listOf(entry, 'violations').map(describe), advice: listOf(entry, 'advice').map(describe) }
}

/** Returns a call with its latest eight attempts, and the sentences about all. */
function showChain(chain: JsonObject): JsonObject {
  const attempts = listOf(chain, 'attempts')
  const sentences = attempts.flatMap((one) => listOf(one, 'findings').map(({ sentence }) => String(sentence)))
  const shown = attempts.slice(-8).map((one) => pick(one, 'id', 'status', 'waitedMs', 'retryAfterMs'))
  return compact({ call: `${chain['method']} ${chain['path']}`, attempts: shown, findings: [...new Set(sentences)] })
}

/** Returns a body, of a long one the first characters as text. */
function cutBody(body: Json | undefined): Json | undefined {
  const text = JSON.stringify(body) ?? ''
  return text.length <= 2000 ? body : `${text.slice(0, 2000)}...`
}
