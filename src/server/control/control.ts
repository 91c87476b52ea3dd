/**
 * `server/control/`: the control plane under `/__sim`. `spec/control.openapi.yaml` describes the operations.
 * `CONTRIBUTING.md` explains how to add one.
 */

import { timingSafeEqual } from 'node:crypto'
import type { Log } from '../../base/core/log.ts'
import { findNearest } from '../../base/core/text.ts'
import { redactHead } from '../../base/redaction/redact.ts'
import type { Contract, Operation, OperationMatch } from '../../service/contract/contract.ts'
import { refuse, refuseForeignPage, replyToStoreError } from '../../service/exchange/refusals.ts'
import type { Reply, ReplyStream } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { isConsoleRequest, serveConsole } from './console-files.ts'
import { explainHandlers } from './explain.ts'
import {
  ControlError,
  type ControlHandlers,
  type ControlledSimulator,
  CustomReply,
  createJsonReplier,
  featureControls,
  type HandlerGroup,
} from './handler.ts'
import { infoHandlers } from './info.ts'
import { metricsHandlers } from './metrics.ts'
import { qualityHandlers } from './quality.ts'
import { readControlRequest } from './read-request.ts'
import { reportHandlers } from './reports.ts'
import { requestHandlers } from './requests.ts'
import { clockHandlers, recordHandlers, sandboxHandlers, snapshotHandlers } from './sandboxes.ts'
import { scenarioHandlers } from './scenarios.ts'
import { verifyHandlers } from './verify.ts'

const groups: readonly HandlerGroup[] = [
  ...[infoHandlers, scenarioHandlers, clockHandlers, sandboxHandlers, recordHandlers, snapshotHandlers],
  ...[qualityHandlers, requestHandlers, verifyHandlers, explainHandlers, metricsHandlers, reportHandlers],
]

interface ControlDeps extends ControlledSimulator {
  /** The bearer token of the control plane; undefined if none is required. */
  readonly token: string | undefined
  readonly log: Log
}

/** The IDs of operations that do not change a sandbox themselves, although their method is not GET. */
const readOnlyIds: ReadonlySet<string> = new Set(['countRequests', 'verify', 'explain', 'callMcp'])

/** The control plane without sockets; `http/app.ts` calls it. */
export class Control {
  readonly #deps: ControlDeps
  readonly #handlers: ControlHandlers
  readonly #replyWithJson = createJsonReplier()

  constructor(deps: ControlDeps) {
    this.#deps = deps
    const featureHandlers = featureControls.map((create) => create((request, gone) => this.handle(request, gone)))
    this.#handlers = Object.assign({}, ...groups.map((create) => create(deps)), ...featureHandlers)
  }

  refuse(head: SimRequest): Reply | undefined {
    const refused = this.#refuseHead(head)
    if (refused) this.#logReply(head, refused)
    return refused
  }

  isImport(head: SimRequest): boolean {
    return this.#operationIdOf(head) === 'importSandbox'
  }

  async handle(request: SimRequest, exchangeEnded: AbortSignal): Promise<Reply> {
    try {
      const refused = this.#refuseHead(request) ?? (await serveConsole(request))
      const reply = refused ?? (await this.#dispatch(request, exchangeEnded))
      this.#logReply(request, reply)
      return reply.stream ? { ...reply, stream: withFailureLogged(request, reply.stream, this.#deps.log) } : reply
    } catch (error) {
      return refuseInternalError(request, error, this.#deps.log)
    }
  }

  #refuseHead(request: SimRequest): Reply | undefined {
    const { token, pages } = this.#deps
    const refused = refuseForeignPage(request, pages, { name: 'The control plane', allowsLinks: true })
    if (refused || token === undefined || hasToken(request, token)) return refused
    if (this.#operationIdOf(request) === 'getHealth' || isConsoleRequest(request)) return undefined
    const error = 'The control plane requires its token (--control-token). Send it as "Authorization: Bearer TOKEN".'
    return refuse(401, error, 'simulator', { 'WWW-Authenticate': 'Bearer' })
  }

  async #dispatch(request: SimRequest, exchangeEnded: AbortSignal): Promise<Reply> {
    const match = this.#match(request)
    if (match.kind === 'wrong-method') {
      const Allow = match.allowed.join(', ')
      const error = `${request.method} is not allowed on ${request.path}. Allowed: ${Allow}.`
      return refuse(405, error, 'simulator', { Allow })
    }
    if (match.kind !== 'operation') return refusePath(this.#deps.control, request.path)
    const { operation } = match
    const handler = this.#handlers[operation.id]
    if (!handler) return refusePath(this.#deps.control, request.path) // the feature is not included
    const read = await readControlRequest(operation, match.pathParameters, request, exchangeEnded)
    const outcome = read.ok ? await handler(read.value) : read.error
    const isChange = operation.method !== 'GET' && !readOnlyIds.has(operation.id) && !(outcome instanceof ControlError)
    if (read.ok && isChange)
      this.#deps.sandboxes.markChanged(String(read.value.parameters.path['name'] ?? read.value.sandbox))
    const isReply = outcome instanceof ControlError || outcome instanceof CustomReply
    const reply = isReply ? outcome : await this.#replyWithJson(outcome, exchangeEnded)
    if (reply instanceof ControlError) return refuse(reply.status, reply.error, 'simulator', reply.headers)
    return toReply(operation, reply, request.method === 'HEAD')
  }

  /** Matches a request to an operation. HEAD counts as GET, since scripts use HEAD for health checks. */
  #match({ method, path }: SimRequest): OperationMatch {
    return this.#deps.control.match(method === 'HEAD' ? 'GET' : method, path)
  }

  #operationIdOf(request: SimRequest): string | undefined {
    const match = this.#match(request)
    return match.kind === 'operation' ? match.operation.id : undefined
  }

  #logReply(request: SimRequest, reply: Reply): void {
    if (!this.#deps.log.isLevelEnabled('debug')) return
    const { id: requestId, method } = request
    const { path, query } = redactHead(request)
    const fields = {
      requestId,
      method,
      path: (query === '' ? path : `${path}?${query}`).slice(0, 200),
      status: reply.status,
      durationMs: Math.round(request.elapsed() * 1000) / 1000,
      operation: this.#operationIdOf(request),
    }
    this.#deps.log.debug(fields, 'handled a control request')
  }
}

function hasToken({ headers }: SimRequest, token: string): boolean {
  const sent = Buffer.from(/^bearer (.*)$/i.exec(headers['authorization'] ?? '')?.[1]?.trimStart() ?? '')
  const expected = Buffer.from(token)
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

function refuseInternalError({ id }: SimRequest, error: unknown, log: Log): Reply {
  const refusal = replyToStoreError(error, id, log)
  if (refusal) return refusal
  log.error({ requestId: id, err: error }, 'a bug in the control plane')
  return refuse(500, "Internal simulator error. See the simulator's log.", 'simulator')
}

/** Returns a stream that logs any error that ends it early, such as a failure of the shared state. */
function withFailureLogged(request: SimRequest, { mediaType, chunks }: ReplyStream, log: Log): ReplyStream {
  return {
    mediaType,
    async *chunks(exchangeEnded) {
      try {
        yield* chunks(exchangeEnded)
      } catch (error) {
        refuseInternalError(request, error, log)
        throw error
      }
    },
  }
}

function toReply({ successStatus }: Operation, { parts }: CustomReply, isHead: boolean): Reply {
  const { stream, ...others } = parts
  const mediaType = isHead && stream && { 'Content-Type': stream.mediaType }
  const headers = { 'Cache-Control': 'no-store', ...others.headers, ...mediaType }
  const reply = { status: successStatus, body: undefined, origin: 'simulator', ...others, headers } as const
  return stream && !isHead ? { ...reply, stream } : reply
}

/** Refuses a path that is not served. The message suggests operations with similar paths, if any. */
function refusePath({ operations, basePath }: Contract, path: string): Reply {
  const all = `GET ${basePath}/openapi.yaml describes all ${operations.length} operations.`
  if (path === basePath || path === `${basePath}/`) {
    const served = `${basePath} serves only a page for browsers (Accept: text/html).`
    return refuse(404, `${served} GET ${basePath}/info describes the running simulator, and ${all}`, 'simulator')
  }
  const firstSegmentOf = (text: string) => text.split('/')[1] ?? ''
  const names = operations.map((operation) => firstSegmentOf(operation.path))
  const nearestName = findNearest(firstSegmentOf(path.slice(basePath.length)), names)
  const similar = operations.filter((_, index) => names[index] === nearestName)
  const list = similar.map((operation) => `${operation.method} ${basePath}${operation.path}`)
  const guess = list.length > 0 ? `Did you mean ${list.join(', ')}? ` : ''
  return refuse(404, `Nothing is served at ${path}. ${guess}${all}`, 'simulator')
}
