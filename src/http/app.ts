import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import cors from 'cors'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { type Awaitable, andThen, rescued } from '../core/awaitable.ts'
import type { Log } from '../core/log.ts'
import type { OutgoingReply } from '../exchange/delivery.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'
import { deliver, deliverPromptly } from './deliver.ts'
import { closeAfterReply, expectsContinue } from './read-body.ts'
import { headOf, originForm, requestReader } from './read-request.ts'

/** What answers: the service's operations and our control plane, each a function of the request. */
export interface Handlers {
  readonly service: (request: SimRequest) => Awaitable<OutgoingReply>
  readonly controlRefusal: (head: SimRequest) => Reply | undefined
  /** `gone`: aborted once the asker has gone. */
  readonly control: (request: SimRequest, gone: AbortSignal) => Promise<OutgoingReply>
}

export interface AppSettings {
  readonly bodyLimit: string
  readonly cors: boolean
}

/** Where other tools' scripts look for life; the answer is the control plane's own. */
const healthAliases = ['/healthz', '/_x-steady/health', '/__admin/health']

const controlPath = '/__sim'

const healthPath = `${controlPath}/health`

/** Where scripts written for WireMock ask, and what they ask there. */
const adminPath = '/__admin'
const wiremockPath = `${controlPath}/wiremock`

const toInfo: Reply = {
  status: 302,
  headers: { Location: '/__sim/info' },
  body: undefined,
  origin: 'simulator',
}

/** An import is as large as a sandbox. */
const controlBodyLimit = '256mb'

/** The edge: Express turns sockets into requests, replies go back through `deliver`. Does not listen. */
export function createApp(answering: Handlers, settings: AppSettings, log: Log): RequestListener {
  // Each its own: how often something looks for life must not change the ids of what is recorded.
  const nextId = counter('req')
  const nextControlId = counter('ctl')
  const readRequest = requestReader(settings.bodyLimit)
  const readControl = requestReader(controlBodyLimit)
  const answerControl = async (req: Request, res: Response, path?: string) => {
    const head = { ...headOf(req, req.originalUrl, nextControlId()), ...(path && { path }) }
    const refused = answering.controlRefusal(head)
    if (refused) {
      if (expectsContinue(req)) closeAfterReply(res)
      return deliverPromptly(refused, res)
    }
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    const request = await new Promise<SimRequest>((resolve) => readControl(req, res, head, resolve))
    await deliver(await answering.control(request, gone.signal), res)
  }
  const send = batchPerTick((parcel: OutgoingReply, res: ServerResponse) => {
    // One that cannot be sent is not to spoil the others of this turn.
    void rescued(
      () => deliver(parcel, res),
      (error) => sendInternalError(error, res, log),
    )
  })
  const answerService = (req: IncomingMessage, res: ServerResponse, target: string) =>
    readRequest(req, res, headOf(req, target, nextId()), (request) => {
      void rescued(
        () => andThen(answering.service(request), (parcel) => send(parcel, res)),
        (error) => sendInternalError(error, res, log),
      )
    })

  const app = express()
  app.disable('x-powered-by')
  app.get(healthAliases, (req, res) => answerControl(req, res, healthPath))
  app.use(adminPath, (req, res) => answerControl(req, res, wiremockPath + req.path))
  app.use(controlPath, (req, res) => answerControl(req, res))
  app.get('/', (_req, res) => deliverPromptly(toInfo, res))
  if (settings.cors) app.use(forBrowsers(cors({ exposedHeaders: '*', maxAge: 600 })))
  app.use((req, res) => answerService(req, res, req.originalUrl))
  app.use(unexpected(log))
  return (req, res) => {
    const target = originForm(req.url ?? '')
    req.url = target
    if (isForExpress(target, req.headers.origin)) app(req, res)
    else answerService(req, res, target)
  }
}

/**
 * Calls a function for all that came in one turn of the event loop, at its end, one behind the other. To write an answer to a client
 * that sleeps wakes it, which costs as much as an answer; the first of a turn wakes it for all.
 */
function batchPerTick<Args extends readonly unknown[]>(
  call: (...args: Args) => void,
): (...args: Args) => void {
  let waiting: Args[] = []
  const callAll = () => {
    const due = waiting
    waiting = []
    for (const args of due) call(...args)
  }
  return (...args) => {
    if (waiting.push(args) === 1) setImmediate(callAll)
  }
}

const counter = (prefix: string) => {
  let count = 0
  return () => `${prefix}-${++count}`
}

/** Beginnings of what is not for the service; the routes have the last word. */
const besides = new RegExp(`^(?:/$|/\\?|${[controlPath, adminPath, ...healthAliases].join('|')})`, 'i')

/**
 * Whether Express has anything to do for a target: it asks for something else than the service, or comes from a browser. All
 * others pass it by: its routes take a tenth of the time that an answer does. So does what is no path: Express cannot read it.
 */
function isForExpress(target: string, origin: string | undefined): boolean {
  return target.startsWith('/') && (origin !== undefined || besides.test(target))
}

/** Only a browser sends `Origin`; other clients' OPTIONS is a method like any other. */
function forBrowsers(allow: RequestHandler): RequestHandler {
  return (req, res, next) => (req.headers.origin === undefined ? next() : allow(req, res, next))
}

/** Whatever Express itself stumbles over still gets the service's shape. */
function unexpected(log: Log): ErrorRequestHandler {
  return (error, _req, res, next) => {
    if (res.headersSent) next(error)
    else sendInternalError(error, res, log)
  }
}

function sendInternalError(error: unknown, res: ServerResponse, log: Log): void {
  log.error({ err: error }, 'a bug at the edge')
  if (res.headersSent) res.destroy()
  else deliverPromptly(refusals.ownFault('Internal error of the simulator; its log tells more.'), res)
}
