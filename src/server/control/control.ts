/**
 * The control plane under /__sim.
 * `spec/control.openapi.yaml` describes the operations, `handlers.ts` joins their handlers and says how to add one.
 */

import type { Log } from '../../base/core/log.ts'
import { findNearest } from '../../base/core/similar.ts'
import { redactHead } from '../../base/redaction/redact.ts'
import type { Contract, Operation, OperationMatch } from '../../service/contract/contract.ts'
import { refuse } from '../../service/exchange/refusals.ts'
import type { Reply, ReplyStream } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { replyToStoreError } from '../../service/exchange/store-errors.ts'
import { isConsoleFile, responseConsole } from './console-files.ts'
import { type GuardSettings, guard } from './guard.ts'
import { ControlError, type ControlHandlers, CustomReply } from './handler.ts'
import { createJsonReply, type JsonReply } from './json-reply.ts'
import type { ControlOperationId } from './operation-ids.ts'
import { readControlRequest } from './read-request.ts'

/** The control plane without its sockets: requests in, replies out. */
export interface Control {
  /** Returns the refusal that the head of a request already decides, before its body is read, if any. */
  readonly refusal: (head: SimRequest) => Reply | undefined
  /** Returns true for an import of a sandbox, the only request whose body may be large. */
  readonly isImport: (head: SimRequest) => boolean
  /** Returns the reply to a request. `clientGone` is aborted when the client closes its connection. */
  readonly response: (request: SimRequest, clientGone: AbortSignal) => Promise<Reply>
}

export function createControl(
  contract: Contract,
  handlers: Partial<ControlHandlers>,
  settings: GuardSettings,
  log: Log,
): Control {
  const isPublic = (request: SimRequest) =>
    isOperation(matchControl(contract, request), 'getHealth') || isConsoleFile(request)
  const replyWithJson = createJsonReply()
  const refusal = (request: SimRequest) => guard(request, settings, isPublic(request))
  const logReply = (request: SimRequest, reply: Reply) => {
    if (log.isLevelEnabled('debug')) log.debug(debugLine(contract, request, reply), 'controlled')
    return reply
  }
  return {
    refusal(head) {
      const refused = refusal(head)
      return refused && logReply(head, refused)
    },
    isImport: (request) => isOperation(matchControl(contract, request), 'importSandbox'),
    async response(request, clientGone) {
      try {
        const reply =
          refusal(request) ??
          (await responseConsole(request)) ??
          (await response(contract, handlers, request, clientGone, replyWithJson))
        return logReply(request, reply.stream ? { ...reply, stream: logFailure(request, reply.stream, log) } : reply)
      } catch (error) {
        return refuseInternalError(request, error, log)
      }
    },
  }
}

/** The fields of the log's line about a request to the control plane. */
function debugLine(contract: Contract, request: SimRequest, reply: Reply) {
  const match = matchControl(contract, request)
  const { path, query } = redactHead(request)
  return {
    requestId: request.id,
    method: request.method,
    path: (query === '' ? path : `${path}?${query}`).slice(0, 200),
    status: reply.status,
    durationMs: Math.round(request.elapsed() * 1000) / 1000,
    operation: match.kind === 'operation' ? match.operation.id : undefined,
  }
}

function refuseInternalError({ id }: SimRequest, error: unknown, log: Log): Reply {
  const refusal = replyToStoreError(error, id, log)
  if (refusal) return refusal
  log.error({ requestId: id, err: error }, 'a bug in the control plane')
  return refuse(500, 'Internal error of the simulator; its log tells more.', 'simulator')
}

/** Matches a request to an operation of the control plane. HEAD counts as GET, since scripts check health with it. */
const matchControl = (contract: Contract, { method, path }: SimRequest) =>
  contract.match(method === 'HEAD' ? 'GET' : method, path)

const isOperation = (match: OperationMatch, id: ControlOperationId) =>
  match.kind === 'operation' && match.operation.id === id

/** Logs why a stream breaks off, such as a shared state without the records that were not sent yet. */
function logFailure(request: SimRequest, { mediaType, chunks }: ReplyStream, log: Log): ReplyStream {
  return {
    mediaType,
    async *chunks(clientGone) {
      try {
        yield* chunks(clientGone)
      } catch (error) {
        refuseInternalError(request, error, log)
        throw error
      }
    },
  }
}

async function response(
  contract: Contract,
  handlers: Partial<ControlHandlers>,
  request: SimRequest,
  clientGone: AbortSignal,
  replyWithJson: JsonReply,
): Promise<Reply> {
  const match = matchControl(contract, request)
  if (match.kind === 'wrong-method') return refuseMethod(request, match.allowed)
  if (match.kind !== 'operation') return refusePath(contract, request.path)
  const { operation } = match
  const handle = handlers[operation.id as ControlOperationId]
  if (!handle) return refusePath(contract, request.path) // of a feature that is left out
  const read = await readControlRequest(operation, match.path, request, clientGone)
  const outcome = read.ok ? await handle(read.value) : read.error
  const isReply = outcome instanceof ControlError || outcome instanceof CustomReply
  const reply = isReply ? outcome : await replyWithJson(outcome, clientGone)
  if (reply instanceof ControlError) return refuse(reply.status, reply.error, 'simulator', reply.headers)
  return toReply(operation, reply, request.method === 'HEAD')
}

function toReply({ successStatus }: Operation, { parts }: CustomReply, isHead: boolean): Reply {
  const headers = { 'Cache-Control': 'no-store' }
  const base = { status: successStatus, headers, body: undefined, origin: 'simulator' } as const
  const { stream, ...others } = parts
  const reply = { ...base, ...others, headers: { ...headers, ...others.headers } }
  if (!stream || !isHead) return { ...reply, ...(stream && { stream }) }
  return { ...reply, headers: { ...reply.headers, 'Content-Type': stream.mediaType } }
}

function refuseMethod({ method, path }: SimRequest, allowed: readonly string[]): Reply {
  const Allow = allowed.join(', ')
  return refuse(405, `${method} is not allowed on ${path}. Allowed: ${Allow}.`, 'simulator', { Allow })
}

function refusePath(contract: Contract, path: string): Reply {
  if (path === contract.basePath || path === `${contract.basePath}/`)
    return refuse(404, describeRoot(contract), 'simulator')
  return refuse(404, `Nothing is served at ${path}. ${describeControls(contract, path)}`, 'simulator')
}

const describeRoot = ({ basePath, operations }: Contract) =>
  `Nothing is served at ${basePath} but a page for browsers (Accept: text/html). ` +
  `GET ${basePath}/info says what runs here, ` +
  `and GET ${basePath}/openapi.yaml describes all ${operations.length} controls.`

/** Returns the controls that are probably meant, and where all are described. */
function describeControls({ operations, basePath }: Contract, path: string): string {
  const firstOf = (text: string) => text.split('/')[1] ?? ''
  const names = operations.map(({ path: known }) => firstOf(known))
  const meant = findNearest(firstOf(path.slice(basePath.length)), names)
  const similar = operations.filter((operation) => meant !== undefined && firstOf(operation.path) === meant)
  const list = similar.map((operation) => `${operation.method} ${basePath}${operation.path}`)
  const guess = list.length > 0 ? `Did you mean ${list.join(', ')}? ` : ''
  return `${guess}GET ${basePath}/openapi.yaml describes all ${operations.length} controls.`
}
