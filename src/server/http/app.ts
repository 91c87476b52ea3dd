/**
 * `server/http/`: the HTTP server (based on Express), which reads requests and delivers replies. `read-request.ts`
 * turns a request into a value, `deliver.ts` writes a reply, and `server.ts` starts and stops listening.
 */

import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import cors from 'cors'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Log } from '../../base/core/log.ts'
import { type CorsOrigins, isAllowedOrigin } from '../../base/core/origins.ts'
import { cutText } from '../../base/core/text.ts'
import { endOfTurn } from '../../base/core/timers.ts'
import { controlAliases } from '../../service/exchange/control-aliases.ts'
import { type PageSettings, refusals, refuse } from '../../service/exchange/refusals.ts'
import { type OutgoingReply, type Reply, textBody } from '../../service/exchange/reply.ts'
import { accepts, type SimRequest } from '../../service/exchange/request.ts'
import { deliver, deliverImmediately } from './deliver.ts'
import { closeIfWaiting, parseBodyLimit, readHead, readRequest, toOriginForm } from './read-request.ts'

export interface Handlers {
  readonly service: (request: SimRequest) => Promise<OutgoingReply>
  readonly control: {
    /** Returns a refusal if the head already requires one; otherwise undefined. Called before the body is read. */
    readonly refuse: (head: SimRequest) => Reply | undefined
    /** Returns true for a sandbox import, the only control request whose body may be larger than 1 MB. */
    readonly isImport: (head: SimRequest) => boolean
    /** Returns the reply. `exchangeEnded` is aborted when the reply is complete or the client disconnects. */
    readonly handle: (request: SimRequest, exchangeEnded: AbortSignal) => Promise<Reply>
  }
  /** The prefix of service request IDs: `req`, or one such as `req-3f2a91c0` if replicas share the state. */
  readonly requestIdPrefix: string
  readonly pages: PageSettings
  /** The signal is aborted when the server stops, to end deliveries that would take too long. */
  readonly stopping: { readonly signal: AbortSignal }
}

export interface App {
  readonly listener: RequestListener
  readonly messages: MessageClasses
}

/** The classes that Node's server instantiates for requests and responses. */
interface MessageClasses {
  readonly IncomingMessage?: typeof IncomingMessage
  readonly ServerResponse?: typeof ServerResponse<IncomingMessage>
}

const controlPath = '/__sim'
const controlLimit = parseBodyLimit('1mb')
const importLimit = parseBodyLimit('16mb')

/**
 * Creates the app that turns HTTP requests into `SimRequest`s and delivers the replies. `bodyLimit`: the maximum body
 * size of requests to the service, such as `1mb`. `documentedPaths`: the paths of the contract's operations, which
 * take precedence over the simulator's own paths outside `/__sim`.
 */
export function createApp(handlers: Handlers, bodyLimit: string, documentedPaths: ReadonlySet<string>, log: Log): App {
  const { cors: corsOrigins, origins } = handlers.pages
  const allowControl = allowOrigins(origins, (origin) => origins.includes(origin))
  const allowService = allowOrigins(corsOrigins, (origin) => isAllowedOrigin(corsOrigins, origin))
  const handleService = createServiceHandler(handlers, bodyLimit, log)
  const handleControl = createControlHandler(handlers.control)
  const serve: RequestHandler = (req, res) => allowService(req, res, () => handleService(req, res))
  const isFree = ([path]: readonly [string, unknown]) => !documentedPaths.has(path)
  const aliases = [...controlAliases].filter(isFree)
  const files = [...browserFiles].filter(isFree)
  const ownSegments = new Set(['/', controlPath, ...[...aliases, ...files].map(([path]) => path)].map(firstSegmentOf))

  const app = express()
  app.disable('x-powered-by')
  // For most requests, this lookup replaces the path comparisons below, which would take 3% of the time of a GET.
  app.use((req, res, next) => (ownSegments.has(firstSegmentOf(req.path)) ? next() : serve(req, res, next)))
  app.use(controlPath, forbidSniffing, allowControl, (req, res) => handleControl(req, res))
  for (const [alias, path] of aliases) {
    const handle: RequestHandler[] = [forbidSniffing, allowControl, (req, res) => handleControl(req, res, path)]
    app.get(alias, ...handle)
    app.options(alias, ...handle)
  }
  for (const [path, reply] of files) app.get(path, (_req, res) => deliverImmediately(reply, res))
  if (isFree(['/', undefined]))
    app.get('/', (req, res) => deliverImmediately(redirectFromRoot(req.headers.accept), res))
  app.use(serve)
  return {
    messages: createMessageClasses(app),
    listener: (req, res) => {
      req.url = toOriginForm(req)
      // Express calls the callback only if a handler throws, since the last handler responds to all requests.
      if (req.url.startsWith('/'))
        return app(req as Request, res as Response, (error) => sendInternalError(error, res, log))
      const problem = `The request target must be a path; got "${cutText(req.url)}".`
      return deliverImmediately(refuse(400, problem, 'simulator'), res)
    },
  }
}

function createServiceHandler({ service, requestIdPrefix, stopping }: Handlers, bodyLimit: string, log: Log) {
  const nextId = createIdGenerator(requestIdPrefix)
  const limit = parseBodyLimit(bodyLimit)
  const atEndOfTurn = batchPerTurn()
  return (req: Request, res: Response) =>
    readRequest(req, res, limit, readHead(req, req.originalUrl, nextId(), true), async (request) => {
      // A failure to send this reply must not stop the other replies in the same event loop turn.
      const fail = (error: unknown) => sendInternalError(error, res, log)
      try {
        const outgoing = await service(request)
        atEndOfTurn(() => void deliver(outgoing, res, stopping.signal).catch(fail))
      } catch (error) {
        fail(error)
      }
    })
}

/** Creates the handler for control plane requests. For a request to an alias, `path` is the control path. */
function createControlHandler(control: Handlers['control']) {
  // A separate counter, so that health checks do not change the IDs of requests to the service.
  const nextId = createIdGenerator('ctl')
  return async (req: Request, res: Response, path?: string) => {
    const head = { ...readHead(req, req.originalUrl, nextId(), false), ...(path && { path }) }
    const refused = control.refuse(head)
    if (refused) {
      closeIfWaiting(req, res)
      return deliverImmediately(refused, res)
    }
    const exchangeEnded = new AbortController()
    res.once('close', () => exchangeEnded.abort())
    const limit = control.isImport(head) ? importLimit : controlLimit
    const request = await new Promise<SimRequest>((resolve) => readRequest(req, res, limit, head, resolve))
    await deliverImmediately(await control.handle(request, exchangeEnded.signal), res)
  }
}

/** Redirects browsers from the root path to the console, and other clients to the simulator's description. */
const redirectFromRoot = (accept: string | undefined): Reply => ({
  status: 302,
  headers: { Location: accepts(accept, 'text/html') ? '/__sim/' : '/__sim/info', Vary: 'Accept' },
  body: undefined,
  origin: 'simulator',
})

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b5fab"/>' +
  '<path d="M4 10V8m4 2V4m4 6V6" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>'

/** The files that browsers and crawlers request automatically, by path. */
const browserFiles: ReadonlyMap<string, Reply> = new Map([
  ['/favicon.ico', fileReply(icon, 'image/svg+xml')],
  ['/robots.txt', fileReply('User-agent: *\nDisallow: /\n', 'text/plain; charset=utf-8')],
])

function fileReply(text: string, mediaType: string): Reply {
  const headers = { 'Cache-Control': 'max-age=86400' }
  return { status: 200, headers, body: textBody(text, mediaType), origin: 'simulator' }
}

/**
 * Creates message classes that already have the prototypes that Express sets on each request and response. On Node 20,
 * changing a prototype triples the CPU time of a GET. See `test/bench/FINDINGS.md`.
 */
function createMessageClasses(app: express.Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype })
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

/** Returns the first segment of a path as Express compares it: `__sim` for `/__SIM/health`. */
const firstSegmentOf = (path: string) => path.split('/', 2)[1]?.toLowerCase() ?? ''

/**
 * Returns a function that defers callbacks to the end of the event loop turn and runs them together. Replies written
 * together wake a sleeping client only once, which saves a fifth of the CPU time of a POST (`test/bench/FINDINGS.md`).
 */
function batchPerTurn(): (run: () => void) => void {
  let collected: (() => void)[] = []
  const runAll = () => {
    const due = collected
    collected = []
    for (const run of due) run()
  }
  return (run) => {
    if (collected.push(run) === 1) void endOfTurn().then(runAll)
  }
}

const createIdGenerator = (prefix: string) => {
  let count = 0
  return () => `${prefix}-${++count}`
}

/** The header that stops browsers from replacing the declared media type with a guess. */
export const noSniffing = ['X-Content-Type-Options', 'nosniff'] as const

const forbidSniffing: RequestHandler = (_req, res, next) => {
  res.setHeader(...noSniffing)
  next()
}

/** Creates middleware that adds CORS headers for allowed origins and responds to their preflight requests. */
function allowOrigins(origins: CorsOrigins, isAllowed: (origin: string) => boolean): RequestHandler {
  // Credentials are not allowed, so `*` lets a script read all headers.
  const allow = cors({ exposedHeaders: '*', maxAge: 600, origin: origins === '*' ? '*' : [...origins] })
  return (req, res, next) => {
    const { origin } = req.headers
    if (origin !== undefined && isAllowed(origin)) allow(req, res, next)
    else next()
  }
}

function sendInternalError(error: unknown, res: ServerResponse, log: Log): void {
  log.error({ err: error }, 'unexpected error while handling a request')
  if (res.headersSent) res.destroy()
  else deliverImmediately(refusals.internalError("Internal simulator error. See the simulator's log."), res)
}
