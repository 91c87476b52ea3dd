/**
 * Sockets: Express, requests in, replies out.
 * `read-request.ts` turns a request into a value, `deliver.ts` writes a reply, `server.ts` listens and stops.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import cors from 'cors'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import type { Log } from '../core/log.ts'
import { parseOrigins } from '../core/origins.ts'
import { setImmediate } from '../core/timers.ts'
import { acceptsHtml } from '../exchange/accepts-html.ts'
import { controlAliases } from '../exchange/control-aliases.ts'
import type { OutgoingReply } from '../exchange/delivery.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'
import { browserFiles } from './browser-files.ts'
import { deliver, deliverImmediately } from './deliver.ts'
import { closeAfterReply, expectsContinue, parseBodyLimit } from './read-body.ts'
import { createRequestReader, readHead, toOriginForm } from './read-request.ts'

/** The service and the control plane as functions from requests to replies. */
export interface Handlers {
  readonly service: (request: SimRequest) => Promise<OutgoingReply>
  /** Returns the refusal that the head of a request already decides, before its body is read; undefined: none. */
  readonly controlRefusal: (head: SimRequest) => Reply | undefined
  /** Returns true for a request to the control plane whose body may be as large as `--import-limit`. */
  readonly isImport: (head: SimRequest) => boolean
  /** Answers a request to the control plane. `clientGone` is aborted when the client closes its connection. */
  readonly control: (request: SimRequest, clientGone: AbortSignal) => Promise<OutgoingReply>
  /** The first part of the ids of requests to the service: `req`, or `req-3f2a91c0`, where several processes answer them. */
  readonly requestIdPrefix: string
  /** Aborted when the server stops, which ends the deliveries that hang. */
  readonly stopping: Pick<AbortController, 'signal'>
}

/** The settings of the app, a part of those of the simulator. */
export interface AppSettings {
  /** The largest size of a request body of the service: `1mb`. */
  readonly bodyLimit: string
  /** The largest size of an import of a sandbox: `64mb`. */
  readonly importLimit: string
  /** True: the preflight requests of browsers are answered, and replies to browsers have CORS headers. */
  readonly cors: boolean
  /** The origins of web pages that may call the control plane, separated by commas; undefined: none. */
  readonly controlOrigins: string | undefined
}

const controlPath = '/__sim'

/** The base path of WireMock's own control plane, and the control path that it is mapped to. */
const adminPath = '/__admin'
const wiremockPath = `${controlPath}/wiremock`

/** CORS without credentials: a script may read all headers of an answer. */
const corsOptions = { exposedHeaders: '*', maxAge: 600 }

/** Redirects a request for the root: a browser to the console, any other client to the description of the simulator. */
const redirectFromRoot = (accept: string | undefined): Reply => ({
  status: 302,
  headers: { Location: acceptsHtml(accept) ? '/__sim/' : '/__sim/info', Vary: 'Accept' },
  body: undefined,
  origin: 'simulator',
})

/** The largest size of a body to the control plane; only an import, which contains a whole sandbox, may be larger. */
const controlBodyLimit = '1mb'

/**
 * Creates the function that turns HTTP requests into `SimRequest`s and delivers the replies; `listen` calls it for each request. `documented`: the
 * paths of the contract's operations, which take precedence over those outside `/__sim` that the simulator answers by itself.
 */
export function createApp(
  handlers: Handlers,
  settings: AppSettings,
  log: Log,
  documented: ReadonlySet<string> = new Set(),
): RequestListener {
  // There are two counters, so that the number of health checks does not change the ids of requests to the service.
  const nextId = counter(handlers.requestIdPrefix)
  const nextControlId = counter('ctl')
  const readRequest = createRequestReader(parseBodyLimit(settings.bodyLimit))
  const readControl = createRequestReader(parseBodyLimit(controlBodyLimit))
  const readImport = createRequestReader(parseBodyLimit(settings.importLimit, '--import-limit'))
  const answerControl = async (req: Request, res: Response, path?: string) => {
    const head = { ...readHead(req, req.originalUrl, nextControlId()), ...(path && { path }) }
    const refused = handlers.controlRefusal(head)
    if (refused) {
      if (expectsContinue(req)) closeAfterReply(res)
      return deliverImmediately(refused, res)
    }
    const clientGone = new AbortController()
    res.once('close', () => clientGone.abort())
    const read = handlers.isImport(head) ? readImport : readControl
    const request = await new Promise<SimRequest>((resolve) => read(req, res, head, resolve))
    await deliver(await handlers.control(request, clientGone.signal), res)
  }
  const send = batchPerTick((outgoing: OutgoingReply, res: ServerResponse) => {
    // A reply that cannot be sent must not stop the others of the same tick.
    deliver(outgoing, res, handlers.stopping.signal).catch((error) => sendInternalError(error, res, log))
  })
  const answerService = (req: IncomingMessage, res: ServerResponse, target: string) =>
    readRequest(req, res, readHead(req, target, nextId()), async (request) => {
      try {
        send(await handlers.service(request), res)
      } catch (error) {
        sendInternalError(error, res, log)
      }
    })

  const isFree = (path: string) => !documented.has(path)
  const aliases = [...controlAliases].filter(([alias]) => isFree(alias))
  const app = express()
  app.disable('x-powered-by')
  const origins = parseOrigins(settings.controlOrigins ?? '') ?? []
  const allowControl = cors({ ...corsOptions, origin: origins })
  app.use(
    [controlPath, adminPath, ...aliases.map(([alias]) => alias)],
    forBrowsers(allowControl, (origin) => origins.includes(origin)),
  )
  for (const [alias, path] of aliases) app.get(alias, (req, res) => answerControl(req, res, path))
  app.use(adminPath, (req, res) => answerControl(req, res, wiremockPath + req.path))
  app.use(controlPath, (req, res) => answerControl(req, res))
  for (const [path, reply] of browserFiles)
    if (isFree(path)) app.get(path, (_req, res) => deliverImmediately(reply, res))
  if (isFree('/')) app.get('/', (req, res) => deliverImmediately(redirectFromRoot(req.headers.accept), res))
  if (settings.cors) app.use(forBrowsers(cors(corsOptions)))
  app.use((req, res) => answerService(req, res, req.originalUrl))
  app.use(handleExpressError(log))
  return (req, res) => {
    const target = toOriginForm(req.url ?? '')
    req.url = target
    if (isForExpress(target, req.headers.origin)) app(req, res)
    else answerService(req, res, target)
  }
}

/**
 * Returns a function that collects the calls of one tick of the event loop, and makes them at its end. Replies that are written
 * together wake a sleeping client once instead of many times: +50 % requests/s, see `test/bench/FINDINGS.md`.
 */
function batchPerTick<Args extends readonly unknown[]>(
  call: (...args: Args) => void,
): (...args: Args) => void {
  let collected: Args[] = []
  const callAll = () => {
    const due = collected
    collected = []
    for (const args of due) call(...args)
  }
  return (...args) => {
    if (collected.push(args) === 1) setImmediate(callAll)
  }
}

const counter = (prefix: string) => {
  let count = 0
  return () => `${prefix}-${++count}`
}

/** Matches the start of each target that Express gets. Its routes then compare whole segments: `/healthz2` goes to the service. */
const expressPrefixes = new RegExp(
  `^(?:/$|/\\?|${[controlPath, adminPath, ...controlAliases.keys(), ...browserFiles.keys()].join('|')})`,
  'i',
)

/**
 * Returns true if Express has to handle a request: one outside the service, or one of a browser, which needs CORS. Others bypass
 * Express, because its routing takes a tenth of a reply's time. A target that is no path bypasses Express, which cannot parse it.
 */
function isForExpress(target: string, origin: string | undefined): boolean {
  return target.startsWith('/') && (origin !== undefined || expressPrefixes.test(target))
}

/** Limits a handler to requests with an allowed `Origin`, which browsers send. For other clients OPTIONS is a method like any other. */
function forBrowsers(handler: RequestHandler, isAllowed = (_origin: string) => true): RequestHandler {
  return (req, res, next) => {
    const { origin } = req.headers
    if (origin !== undefined && isAllowed(origin)) handler(req, res, next)
    else next()
  }
}

/** Creates Express's error handler, which answers in the form of the service's error body. */
function handleExpressError(log: Log): ErrorRequestHandler {
  return (error, _req, res, next) => {
    if (res.headersSent) next(error)
    else sendInternalError(error, res, log)
  }
}

function sendInternalError(error: unknown, res: ServerResponse, log: Log): void {
  log.error({ err: error }, 'a bug at the edge')
  if (res.headersSent) res.destroy()
  else deliverImmediately(refusals.ownFault('Internal error of the simulator; its log tells more.'), res)
}
