import type { Json, JsonObject } from '../../base/core/json.ts'
import {
  compact,
  cursorArg,
  listOf,
  objectOf,
  pageOf,
  pageSize,
  pick,
  readOrThrow,
  refuseUnknownOperation,
  sendOrThrow,
  type Tool,
  ToolError,
} from './tool.ts'

const filters = 'sandbox operation status method path origin violations advice damage traceId order since cursor'
const idHint = 'Alternatively, pass the "id" of a recorded request. find_requests lists the IDs.'

const findRequests: Tool = {
  name: 'find_requests',
  description: 'Find requests, 20 at a time, by default newest first. "badRetries" lists the latest retry problems.',
  input: { listRequests: filters },
  async run(args, { send }) {
    const query = { order: 'newest', limit: pageSize, ...args }
    const page = await sendOrThrow(send, { path: '/requests', query })
    const retries = { path: '/retries', query: { sandbox: args['sandbox'], limit: 100 } }
    const chains = args['cursor'] === undefined ? listOf(await sendOrThrow(send, retries), 'chains') : []
    const bad = chains.map(showChain).filter(({ findings }) => findings !== undefined)
    return compact({
      requests: listOf(page, 'requests').map(showExchange),
      ...pick(page, 'total', 'next', 'dropped'),
      badRetries: bad.slice(0, pageSize),
      hint: page['total'] === 0 ? 'No requests match. {"sandbox": "*"} searches all sandboxes.' : undefined,
    })
  },
}

const explainRequest: Tool = {
  name: 'explain_request',
  description:
    'Explain why a recorded request ("id") got its response, or how a new one ("method", "path") would be handled now.',
  input: { explain: 'sandbox' },
  ownInput: { id: { type: 'string', description: 'The ID of a recorded request, such as req-7.' } },
  async run({ id, sandbox, ...body }, { send }) {
    if (id === undefined) {
      const explained = await sendOrThrow(send, { method: 'POST', path: '/explain', query: { sandbox }, body }, idHint)
      const response = objectOf(explained, 'response')
      return compact({ status: response['status'], ...showDecision(explained), body: cutBody(response['body']) })
    }
    const [extra] = Object.keys(compact(body))
    if (extra !== undefined) throw new ToolError(`"id" cannot be combined with "${extra}". Omit one of them.`)
    const path = `/requests/${encodeURIComponent(String(id))}`
    const entry = await sendOrThrow(send, { path }, 'find_requests lists the IDs.')
    const retries = { path: '/retries', query: { sandbox: entry['sandbox'], request: id } }
    const chains = listOf(await sendOrThrow(send, retries), 'chains')
    const [sent, got] = ['request', 'response'].map((name) => {
      const { headers, body } = objectOf(entry, name)
      return compact({ headers, body: cutBody(body) })
    })
    return compact({ ...showExchange(entry), ...showDecision(entry), sent, got, retries: chains.map(showChain) })
  },
}

const verifyRequests: Tool = {
  name: 'verify_requests',
  description:
    'Check how many times a request was sent. On failure, "nearMisses" lists similar requests and their differences.',
  input: { verify: 'sandbox' },
  async run({ sandbox, ...body }, { send }) {
    const verdict = await sendOrThrow(send, { method: 'POST', path: '/verify', query: { sandbox }, body })
    return compact({ ...verdict, nearMisses: listOf(verdict, 'nearMisses').slice(0, 3) })
  },
}

const sandboxHint = 'Omit "sandbox", or name a sandbox that a client has used.'

const coverageGaps: Tool = {
  name: 'coverage_gaps',
  description:
    'List the parts of the contract that the client has not covered, 20 at a time. Each has a hint on how to cover it.',
  input: { getCoverage: 'sandbox', listRequests: 'operation' },
  ownInput: { cursor: cursorArg },
  async run({ sandbox, operation, cursor }, { send, basePath }) {
    const coverage = await sendOrThrow(send, { path: '/coverage', query: { sandbox } }, sandboxHint)
    const operations = listOf(coverage, 'operations')
    const ids = operations.map((one) => String(one['operation']))
    refuseUnknownOperation(operation, ids)
    const selected = operations.filter((one) => [undefined, one['operation']].includes(operation))
    const gaps = selected.flatMap(({ operation, method, path: template, missing }) =>
      listOf({ missing: missing ?? [] }, 'missing').map(
        ({ name, sentence, path = `${basePath}${template}`, headers }) =>
          compact({ operation, item: name, sentence, request: compact({ method, path, headers }) }),
      ),
    )
    return { ...pick(coverage, 'percent'), ...pageOf('gaps', gaps, cursor) }
  },
}

const runSummary: Tool = {
  name: 'run_summary',
  description:
    'Get the verdict on a run, its three worst findings, and the next step. "failOn" lists the failure conditions.',
  input: { getReport: 'sandbox failOn' },
  async run({ sandbox, failOn = 'violation,unexpected,retry' }, { send, origin, basePath }) {
    const response = await send({ path: '/report', query: { sandbox, failOn } })
    const report = readOrThrow(response, response.status === 404 ? sandboxHint : '')
    // The retry problems come from /retries, since the report omits the waiting times, which vary between runs.
    const { problems } = await sendOrThrow(send, { path: '/retries', query: { sandbox, limit: 0 } })
    const { violations, unexpected, advice } = report
    const sections = { violation: violations, unexpected, retry: problems, advice }
    const findings = Object.entries(sections).flatMap(([kind, section = null]) =>
      listOf(section, 'findings').map((one) => showFinding(kind, one)),
    )
    const [first] = [findings[0]?.['requests']].flat()
    const next =
      first === undefined
        ? 'Call coverage_gaps to see what the tests have not covered yet.'
        : `Call explain_request with {"id": "${first}"}, fix the client, reset the sandbox, and run the client again.`
    return compact({
      ...{ verdict: response.status === 417 ? 'failed' : 'passed', failOn },
      ...pick(report, 'requests', 'summary'),
      ...{ worst: findings.slice(0, 3), furtherFindings: Math.max(0, findings.length - 3), next },
      ...(report['requests'] === 0 && {
        verdict: 'no requests',
        next: `Point the client at ${origin}${basePath}, and run it.`,
      }),
    })
  },
}

const details = ['operation', 'rule', 'in', 'pointer', 'status', 'sentence', 'waitedMs', 'message', 'count', 'requests']
const showFinding = (kind: string, finding: JsonObject): JsonObject => ({ kind, ...pick(finding, ...details) })

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

function showRules(entry: JsonObject) {
  const describe = (one: JsonObject) => `${one['in']}${one['pointer']}: ${one['message']}`
  return { violations: listOf(entry, 'violations').map(describe), advice: listOf(entry, 'advice').map(describe) }
}

function showChain(chain: JsonObject): JsonObject {
  const attempts = listOf(chain, 'attempts')
  const sentences = attempts.flatMap((one) => listOf(one, 'findings').map(({ sentence }) => String(sentence)))
  const shown = attempts.slice(-8).map((one) => pick(one, 'id', 'status', 'waitedMs', 'retryAfterMs'))
  return compact({ call: `${chain['method']} ${chain['path']}`, attempts: shown, findings: [...new Set(sentences)] })
}

function cutBody(body: Json | undefined): Json | undefined {
  const text = JSON.stringify(body) ?? ''
  return text.length <= 2000 ? body : `${text.slice(0, 2000)}...`
}

const setScenarios: Tool = {
  name: 'set_scenarios',
  description:
    'Replace the rules of a sandbox. A rule applies a scenario or sequence to matching requests: {"operation": ' +
    '"createEvent", "scenario": "slow", "times": 2} or {"sequence": "429*2, 200"}. An empty list removes all rules.',
  input: { putScenarios: 'sandbox' },
  async run({ sandbox, ...body }, { send }) {
    const call = { method: 'PUT', path: '/scenarios', query: { sandbox }, body }
    const set = await sendOrThrow(send, call, 'list_scenarios lists the scenarios and operations.')
    return pageOf('rules', listOf(set, 'rules'), 0)
  },
}

const listScenarios: Tool = {
  name: 'list_scenarios',
  description:
    'List the active rules, and the scenarios for one or all operations, 20 at a time, with effects and examples.',
  input: { getScenarios: 'sandbox', listRequests: 'operation' },
  ownInput: { cursor: cursorArg },
  async run({ sandbox, operation, cursor }, { send }) {
    const rules = await sendOrThrow(send, { path: '/scenarios', query: { sandbox } })
    const catalogue = await sendOrThrow(send, { path: '/catalogue' })
    const operations = listOf(catalogue, 'operations').map(({ id }) => String(id))
    refuseUnknownOperation(operation, operations)
    const fits = (ids: unknown) => operation === undefined || (Array.isArray(ids) && ids.includes(operation))
    const applicable = listOf(catalogue, 'scenarios').filter((one) => fits(one['operations']))
    const shown = applicable.map((one) => pick(one, 'name', 'about', 'undocumented', 'example', 'clientSees'))
    return { ...(cursor === undefined && compact({ operations, ...rules })), ...pageOf('scenarios', shown, cursor) }
  },
}

/** Each action's method, path, and arguments to send in the body. The sandbox is in the path or the query. */
const actions = new Map<unknown, readonly [method: string, path: string, ...body: string[]]>([
  ['create', ['PUT', '/sandboxes/{sandbox}', 'seed']],
  ['seed', ['PUT', '/sandboxes/{sandbox}', 'seed']],
  ['reset', ['POST', '/reset']],
  ['delete', ['DELETE', '/sandboxes/{sandbox}']],
  ['clock', ['PUT', '/clock', 'mode', 'now']],
  ['advance', ['POST', '/clock/advance', 'by']],
  ['snapshot', ['POST', '/snapshots', 'name']],
  ['restore', ['POST', '/snapshots/{snapshotId}/restore']],
])
const actionNames = Array.from(actions.keys(), String)

const controlSandbox: Tool = {
  name: 'control_sandbox',
  description:
    'Control a sandbox. create and seed take "seed"; clock takes "mode" and "now"; advance takes "by", the time to ' +
    'skip; snapshot takes "name"; restore takes "snapshotId". The response has the base URL for the client.',
  input: { reset: 'sandbox', putSandbox: '', putClock: '', advanceClock: '', createSnapshot: '' },
  ownInput: {
    action: { type: 'string', enum: actionNames },
    snapshotId: { type: 'string', description: 'The snapshotId that the snapshot action returned.' },
  },
  async run({ action, ...args }, { send, origin, basePath }) {
    const known = actions.get(action)
    if (!known) throw new ToolError(`"action" must be one of ${actionNames.join(', ')}; got ${JSON.stringify(action)}.`)
    const [method, template, ...names] = known
    const takes = [...names, 'sandbox', ...(action === 'restore' ? ['snapshotId'] : [])]
    const extra = Object.keys(compact(args)).find((name) => !takes.includes(name))
    const accepted = takes.map((name) => JSON.stringify(name)).join(', ')
    if (extra !== undefined) throw new ToolError(`The ${action} action accepts ${accepted}; got "${extra}".`)
    const { sandbox = 'default', snapshotId } = args
    if (action === 'restore' && snapshotId === undefined)
      throw new ToolError('The restore action needs "snapshotId". Create a snapshot first, with the snapshot action.')
    const [name, id] = [sandbox, snapshotId].map((text) => encodeURIComponent(String(text)))
    const path = template.replace('{sandbox}', `${name}`).replace('{snapshotId}', `${id}`)
    const query = template.includes('{sandbox}') ? {} : { sandbox }
    const call = { method, path, query, ...(names.length > 0 && { body: pick(args, ...names) }) }
    const next = action === 'restore' ? 'Create a snapshot first, with the snapshot action.' : ''
    return { result: await sendOrThrow(send, call, next), baseUrl: `${origin}/_s/${name}${basePath}` }
  },
}

export const readOnlyTools = [findRequests, explainRequest, verifyRequests, listScenarios, coverageGaps, runSummary]
export const changingTools = [setScenarios, controlSandbox]
