import { bodyOf, parametersOf } from './input-schemas.ts'
import {
  askOrThrow,
  compact,
  cursorInput,
  listOf,
  pageOf,
  pick,
  refuseOperation,
  type Tool,
  ToolError,
} from './tool.ts'

/** Sets the rules of a sandbox. */
export const setScenarios: Tool = {
  name: 'set_scenarios',
  description:
    'Replace the rules of a sandbox, each a fault for matching requests: {"operation": "createEvent", "scenario": "unavailable", "times": 2}, or a sequence: "429*2, 200". An empty list switches all off. "position" adds to the rules instead.',
  readOnly: false,
  input(document) {
    const { default: _, ...position } = parametersOf(document, 'addScenarios', 'position')['position'] ?? {}
    return { ...parametersOf(document, 'putScenarios', 'sandbox'), ...bodyOf(document, 'putScenarios'), position }
  },
  async run({ sandbox, position, ...body }, { ask }) {
    const method = position === undefined ? 'PUT' : 'POST'
    const question = { method, path: '/scenarios', query: { sandbox, position }, body }
    const set = await askOrThrow(ask, question, 'list_scenarios names scenarios and operations.')
    return pageOf('rules', listOf(set, 'rules'), 0)
  },
}

/** Lists the scenarios that an operation can meet. */
export const listScenarios: Tool = {
  name: 'list_scenarios',
  description:
    'List the scenarios of one operation or of all, 20 at a time, with an example for set_scenarios and what the client sees; and the rules that the sandbox has now.',
  readOnly: true,
  input: (document) => ({
    ...parametersOf(document, 'getScenarios', 'sandbox'),
    ...parametersOf(document, 'listRequests', 'operation'),
    cursor: cursorInput,
  }),
  async run({ sandbox, operation, cursor }, { ask }) {
    const rules = await askOrThrow(ask, { path: '/scenarios', query: { sandbox } })
    const catalogue = await askOrThrow(ask, { path: '/catalogue' })
    const operations = listOf(catalogue, 'operations').map(({ id }) => String(id))
    refuseOperation(operation, operations)
    const fitting = listOf(catalogue, 'scenarios').filter(
      (one) => operation === undefined || (Array.isArray(one['operations']) && one['operations'].includes(operation)),
    )
    const shown = fitting.map((one) => pick(one, 'name', 'about', 'example', 'clientSees'))
    const first = compact({ operations, ...rules })
    return { ...(cursor === undefined && first), ...pageOf('scenarios', shown, cursor) }
  },
}

/** The method, the path and the arguments in the body of each action; the path has the sandbox, or the query. */
const actions: Readonly<Record<string, readonly [method: string, path: string, ...body: string[]]>> = {
  create: ['PUT', '/sandboxes/{sandbox}', 'seed'],
  seed: ['PUT', '/sandboxes/{sandbox}', 'seed'],
  reset: ['POST', '/reset'],
  delete: ['DELETE', '/sandboxes/{sandbox}'],
  clock: ['PUT', '/clock', 'mode', 'now'],
  advance: ['POST', '/clock/advance', 'by'],
  snapshot: ['POST', '/snapshots', 'name'],
  restore: ['POST', '/snapshots/{snapshotId}/restore'],
}

/** Creates a sandbox, or changes what it holds. */
export const controlSandbox: Tool = {
  name: 'control_sandbox',
  description:
    'Steer a sandbox, which other tests do not affect. create and seed take "seed"; clock takes "mode" and "now"; advance takes "by", in place of a sleep; snapshot takes "name"; restore takes "snapshotId". The answer has the base URL for the client.',
  readOnly: false,
  input: (document) => ({
    action: { type: 'string', enum: Object.keys(actions) },
    ...parametersOf(document, 'reset', 'sandbox'),
    ...Object.assign(
      {},
      ...['putSandbox', 'putClock', 'advanceClock', 'createSnapshot'].map((id) => bodyOf(document, id)),
    ),
    snapshotId: { type: 'string', description: 'The snapshotId that the action snapshot answered with.' },
  }),
  async run({ action, ...args }, { ask, origin, basePath }) {
    const { sandbox = 'default', snapshotId = 'none' } = args
    const known = Object.keys(actions)
    const [method, template, ...names] = (known.includes(String(action)) && actions[String(action)]) || []
    if (template === undefined || method === undefined)
      throw new ToolError(`"action" is one of ${known.join(', ')}; got ${JSON.stringify(action)}.`)
    const name = encodeURIComponent(String(sandbox))
    const path = template.replace('{sandbox}', name).replace('{snapshotId}', encodeURIComponent(String(snapshotId)))
    const query = template.includes('{sandbox}') ? {} : { sandbox }
    const question = { method, path, query, ...(names.length > 0 && { body: pick(args, ...names) }) }
    const next = action === 'restore' ? 'Take one first with the action snapshot.' : ''
    return { result: await askOrThrow(ask, question, next), baseUrl: `${origin}/_s/${name}${basePath}` }
  },
}
