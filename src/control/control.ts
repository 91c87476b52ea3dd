import type { Contract, ParameterValues, Violation } from '../contract/contract.ts'
import type { Incoming, Reply } from '../exchange.ts'
import type { Json } from '../json.ts'
import type { Log } from '../log.ts'
import { refuse } from '../refusals.ts'

/** What a control operation is asked, already checked against `spec/control.openapi.yaml`. */
export interface ControlRequest {
  readonly parameters: ParameterValues
  readonly body: Json | undefined
}

/** Answers with the body of the documented success status. */
export type ControlHandler = (request: ControlRequest) => Promise<Json> | Json

/** The control plane: the document says which operations there are, a handler by the same id does each. */
export function createControl(
  contract: Contract,
  handlers: Readonly<Record<string, ControlHandler>>,
  log: Log,
) {
  for (const { id } of contract.operations) {
    if (!handlers[id]) throw new Error(`the control operation ${id} has no handler`)
  }
  return async function control(request: Incoming): Promise<Reply> {
    try {
      return await answer(contract, handlers, request)
    } catch (error) {
      log.error({ requestId: request.id, err: error }, 'a bug in the control plane')
      return refuse(500, 'Internal error of the simulator; its log tells more.', 'simulator')
    }
  }
}

async function answer(
  contract: Contract,
  handlers: Readonly<Record<string, ControlHandler>>,
  request: Incoming,
): Promise<Reply> {
  // Health checks of scripts ask with HEAD; Node leaves the body out.
  const match = contract.match(request.method === 'HEAD' ? 'GET' : request.method, request.path)
  if (match.kind === 'wrong-method') {
    const allowed = match.allowed.join(', ')
    return refuse(
      405,
      `${request.method} is not allowed on ${request.path}. Allowed: ${allowed}.`,
      'simulator',
      { Allow: allowed },
    )
  }
  if (match.kind !== 'operation') return unknownPath(contract, request.path)
  const { operation, path } = match
  const query = Object.fromEntries(new URLSearchParams(request.query))
  const { values, violations } = operation.readParameters({ path, query, header: {} })
  if (violations.length > 0) return invalid(violations)
  const body = await handlers[operation.id]?.({ parameters: values, body: undefined })
  return {
    status: operation.successStatus,
    headers: { 'Cache-Control': 'no-store' },
    body,
    origin: 'simulator',
  }
}

function unknownPath(contract: Contract, path: string): Reply {
  const known = contract.operations.map(
    (operation) => `${operation.method} ${contract.basePath}${operation.path}`,
  )
  return refuse(404, `Nothing is served at ${path}. The controls are: ${known.join(', ')}.`, 'simulator')
}

function invalid(violations: readonly Violation[]): Reply {
  const each = violations.map(({ in: place, pointer, message }) => `${place}${pointer}: ${message}`)
  return refuse(400, `Invalid request: ${each.join('; ')}.`, 'simulator')
}
