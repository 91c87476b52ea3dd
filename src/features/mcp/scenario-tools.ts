import { askOrThrow, compact, cursorArg, listOf, pageOf, pick, refuseOperation, type Tool, ToolError } from './tool.ts'

export const setScenarios: Tool = {
  name: 'set_scenarios',
  description:
    'Replace the rules of a sandbox, each a fault for matching requests: {"operation": "createEvent", ' +
    '"scenario": "unavailable", "times": 2}, or a sequence: "429*2, 200". An empty list switches all off.',
  input: { putScenarios: 'sandbox' },
  async run({ sandbox, ...body }, { ask }) {
    const question = { method: 'PUT', path: '/scenarios', query: { sandbox }, body }
    const set = await askOrThrow(ask, question, 'list_scenarios names scenarios and operations.')
    return pageOf('rules', listOf(set, 'rules'), 0)
  },
}

export const listScenarios: Tool = {
  name: 'list_scenarios',
  description:
    'List the scenarios of one operation or of all, 20 at a time, with an example and the effect; and the rules.',
  input: { getScenarios: 'sandbox', listRequests: 'operation' },
  ownInput: { cursor: cursorArg },
  async run({ sandbox, operation, cursor }, { ask }) {
    const rules = await askOrThrow(ask, { path: '/scenarios', query: { sandbox } })
    const catalogue = await askOrThrow(ask, { path: '/catalogue' })
    const operations = listOf(catalogue, 'operations').map(({ id }) => String(id))
    refuseOperation(operation, operations)
    const fits = (ids: unknown) => operation === undefined || (Array.isArray(ids) && ids.includes(operation))
    const fitting = listOf(catalogue, 'scenarios').filter((one) => fits(one['operations']))
    const shown = fitting.map((one) => pick(one, 'name', 'about', 'example', 'clientSees'))
    return { ...(cursor === undefined && compact({ operations, ...rules })), ...pageOf('scenarios', shown, cursor) }
  },
}

/** The method, the path and the arguments in the body of each action; the path has the sandbox, or the query. */
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

export const controlSandbox: Tool = {
  name: 'control_sandbox',
  description:
    'Steer a sandbox. create and seed take "seed"; clock takes "mode" and "now"; advance takes "by", in place of a ' +
    'sleep; snapshot takes "name"; restore takes "snapshotId". The response has the base URL for the client.',
  input: { reset: 'sandbox', putSandbox: '', putClock: '', advanceClock: '', createSnapshot: '' },
  ownInput: {
    action: { type: 'string', enum: actionNames },
    snapshotId: { type: 'string', description: 'The snapshotId that the action snapshot returned.' },
  },
  async run({ action, ...args }, { ask, origin, basePath }) {
    const known = actions.get(action)
    if (!known) throw new ToolError(`"action" is one of ${actionNames.join(', ')}; got ${JSON.stringify(action)}.`)
    const [method, template, ...names] = known
    const takes = [...names, 'sandbox', ...(action === 'restore' ? ['snapshotId'] : [])]
    const alien = Object.keys(compact(args)).find((name) => !takes.includes(name))
    if (alien !== undefined) throw new ToolError(`The action ${action} takes ${takes.join(', ')}, not "${alien}".`)
    const { sandbox = 'default', snapshotId } = args
    if (action === 'restore' && snapshotId === undefined)
      throw new ToolError('The action restore needs "snapshotId". Take one first with the action snapshot.')
    const [name, id] = [sandbox, snapshotId].map((text) => encodeURIComponent(String(text)))
    const path = template.replace('{sandbox}', `${name}`).replace('{snapshotId}', `${id}`)
    const query = template.includes('{sandbox}') ? {} : { sandbox }
    const question = { method, path, query, ...(names.length > 0 && { body: pick(args, ...names) }) }
    const next = action === 'restore' ? 'Take one first with the action snapshot.' : ''
    return { result: await askOrThrow(ask, question, next), baseUrl: `${origin}/_s/${name}${basePath}` }
  },
}
