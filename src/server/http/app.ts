/**
 * Sockets: Express, requests in, replies out.
 * `read-request.ts` turns a request into a value, `deliver.ts` writes a reply, `server.ts` listens and stops.
 */

import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import cors from 'cors'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Log } from '../../base/core/log.ts'
import { type CorsOrigins, isCorsOrigin, parseOrigins } from '../../base/core/origins.ts'
import { cutText } from '../../base/core/text.ts'
import { endOfTurn } from '../../base/core/timers.ts'
import { controlAliases } from '../../service/exchange/control-aliases.ts'
import type { OutgoingReply } from '../../service/exchange/delivery.ts'
import { refusals, refuse } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { acceptsHtml } from '../../service/exchange/request-headers.ts'
import { browserFiles } from './browser-files.ts'
import { deliver, deliverImmediately } from './deliver.ts'
import { closeAfterReply, expectsContinue, parseBodyLimit } from './read-body.ts'
import { readHead, readRequest, toOriginForm } from './read-request.ts'

/** The service and the control plane as functions from requests to replies. */
export interface Handlers {
  readonly service: (request: SimRequest) => Promise<OutgoingReply>
  /** Returns the refusal that the head of a request already decides, before its body is read, if any. */
  readonly controlRefusal: (head: SimRequest) => Reply | undefined
  /** Returns true for a request to the control plane whose body may have `importLimit`. */
  readonly isImport: (head: SimRequest) => boolean
  /** Handles a request to the control plane. `clientGone` is aborted when the client closes its connection. */
  readonly control: (request: SimRequest, clientGone: AbortSignal) => Promise<OutgoingReply>
  /** The first part of request ids: `req`, or `req-3f2a91c0` if several processes response. */
  readonly requestIdPrefix: string
  /** Aborted when the server stops, which ends the deliveries that hang. */
  readonly stopping: Pick<AbortController, 'signal'>
}

/** The settings of the app, a part of those of the simulator. */
interface AppSettings {
  /** The largest size of a request body of the service: `1mb`. */
  readonly bodyLimit: string
  /** The origins of pages whose preflight requests to the service are handled, and whose replies have CORS headers. */
  readonly corsOrigins: CorsOrigins
  /** The origins of web pages that may call the control plane, separated by commas, if any. */
  readonly controlOrigins: string | undefined
}

/** An Express app, as `listen` takes it. */
export interface App {
  readonly listener: RequestListener
  readonly messages: MessageClasses
}

/** The classes of which Node's server creates requests and responses. */
interface MessageClasses {
  readonly IncomingMessage?: typeof IncomingMessage
  readonly ServerResponse?: typeof ServerResponse<IncomingMessage>
}

const controlPath = '/__sim'

/** CORS without credentials: a script may read all headers of a response. */
const corsOptions = { exposedHeaders: '*', maxAge: 600 }

/** Redirects a request for the root: a browser to the console, any other client to the description of the simulator. */
const redirectFromRoot = (accept: string | undefined): Reply => ({
  status: 302,
  headers: { Location: acceptsHtml(accept) ? '/__sim/' : '/__sim/info', Vary: 'Accept' },
  body: undefined,
  origin: 'simulator',
})

/** The largest size of a body to the control plane; only an import, which contains a whole sandbox, may be larger. */
const controlLimit = parseBodyLimit('1mb')

const importLimit = parseBodyLimit('16mb')

/**
 * Creates the app that turns HTTP requests into `SimRequest`s and delivers the replies. The paths of the contract's
 * operations, `documented`, take precedence over those outside `/__sim` that the simulator responds by itself.
 */
export function createApp(
  handlers: Handlers,
  settings: AppSettings,
  log: Log,
  documented: ReadonlySet<string> = new Set(),
): App {
  // There are two counters, so that the number of health checks does not change the ids of requests to the service.
  const nextId = counter(handlers.requestIdPrefix)
  const nextControlId = counter('ctl')
  const serviceLimit = parseBodyLimit(settings.bodyLimit)
  const responseControl = async (req: Request, res: Response, path?: string) => {
    const head = { ...readHead(req, req.originalUrl, nextControlId()), ...(path && { path }) }
    const refused = handlers.controlRefusal(head)
    if (refused) {
      if (expectsContinue(req)) closeAfterReply(res)
      return deliverImmediately(refused, res)
    }
    const clientGone = new AbortController()
    res.once('close', () => clientGone.abort())
    const limit = handlers.isImport(head) ? importLimit : controlLimit
    const request = await new Promise<SimRequest>((resolve) => readRequest(req, res, limit, head, resolve))
    await deliver(await handlers.control(request, clientGone.signal), res)
  }
  const send = batchPerTurn((outgoing: OutgoingReply, res: ServerResponse) => {
    // A reply that cannot be sent must not stop the others of the same turn.
    deliver(outgoing, res, handlers.stopping.signal).catch((error) => sendInternalError(error, res, log))
  })
  const responseService = (req: Request, res: Response) =>
    readRequest(req, res, serviceLimit, readHead(req, req.originalUrl, nextId()), async (request) => {
      try {
        send(await handlers.service(request), res)
      } catch (error) {
        sendInternalError(error, res, log)
      }
    })

  const isFree = ([path]: readonly [string, unknown]) => !documented.has(path)
  const aliases = [...controlAliases].filter(isFree)
  const controlOrigins = parseOrigins(settings.controlOrigins ?? '') ?? []
  const { corsOrigins } = settings
  const allowControl = allowOrigins(controlOrigins, (origin) => controlOrigins.includes(origin))
  const allowService = allowOrigins(corsOrigins, (origin) => isCorsOrigin(corsOrigins, origin))

  const responseOrigin: RequestHandler = (req, res) => allowService(req, res, () => responseService(req, res))
  const ownPaths = ['/', controlPath, ...[...aliases, ...browserFiles].map(([path]) => path)]
  const ownSegments = new Set(ownPaths.map(readFirstSegment))

  const app = express()
  app.disable('x-powered-by')
  // For most requests a look-up takes the place of the 22 comparisons below, which would be 3 % of a GET.
  app.use((req, res, next) => (ownSegments.has(readFirstSegment(req.path)) ? next() : responseOrigin(req, res, next)))
  app.use(controlPath, forbidSniffing, allowControl, (req, res) => responseControl(req, res))
  for (const [alias, path] of aliases) {
    const response: RequestHandler[] = [forbidSniffing, allowControl, (req, res) => responseControl(req, res, path)]
    app.get(alias, ...response)
    app.options(alias, ...response)
  }
  for (const [path, reply] of [...browserFiles].filter(isFree))
    app.get(path, (_req, res) => deliverImmediately(reply, res))
  if (isFree(['/', undefined]))
    app.get('/', (req, res) => deliverImmediately(redirectFromRoot(req.headers.accept), res))
  app.use(responseOrigin)
  return {
    messages: createMessageClasses(app),
    listener: (req, res) => {
      req.url = toOriginForm(req)
      // Express calls the function with an error that a handler throws: the last route returns every other request.
      if (req.url.startsWith('/')) app(req as Request, res as Response, (error) => sendInternalError(error, res, log))
      else deliverImmediately(refuse(400, describeTarget(req.url), 'simulator'), res)
    },
  }
}

/**
 * Creates classes of messages that have the app's prototypes from the beginning. Express sets these for each request,
 * which changes nothing then; on Node 20 a change makes a GET take three times the processor time, see
 * `test/bench/FINDINGS.md`.
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
const readFirstSegment = (path: string) => path.split('/', 2)[1]?.toLowerCase() ?? ''

/** Describes a request target that is no path, which Express cannot parse: `*`, `localhost:80`. */
const describeTarget = (target: string) => `The request target must be a path; got "${cutText(target)}".`

/**
 * Returns a function that collects the calls of one turn of the event loop, and makes them at its end. Replies written
 * together wake a sleeping client once: +50 % requests/s, see `test/bench/FINDINGS.md`.
 */
function batchPerTurn<Args extends readonly unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
  let collected: Args[] = []
  const callAll = () => {
    const due = collected
    collected = []
    for (const args of due) call(...args)
  }
  return (...args) => {
    if (collected.push(args) === 1) void endOfTurn().then(callAll)
  }
}

const counter = (prefix: string) => {
  let count = 0
  return () => `${prefix}-${++count}`
}

/** The header that forbids browsers to take a response for another media type than it declares. */
export const noSniffing = ['X-Content-Type-Options', 'nosniff'] as const

const forbidSniffing: RequestHandler = (_req, res, next) => {
  res.setHeader(...noSniffing)
  next()
}

/** Creates the middleware that returns preflight requests of the allowed origins, and adds their CORS headers. */
function allowOrigins(origins: CorsOrigins, isAllowed: (origin: string) => boolean): RequestHandler {
  const allow = cors({ ...corsOptions, origin: origins === '*' ? '*' : [...origins] })
  return (req, res, next) => {
    const { origin } = req.headers
    if (origin !== undefined && isAllowed(origin)) allow(req, res, next)
    else next()
  }
}

function sendInternalError(error: unknown, res: ServerResponse, log: Log): void {
  log.error({ err: error }, 'a bug at the edge')
  if (res.headersSent) res.destroy()
  else deliverImmediately(refusals.ownFault('Internal error of the simulator; its log tells more.'), res)
}
