import { defaultSettings, type Settings } from '../../config/settings.ts'
import { isObject, type Json } from '../../core/json.ts'
import { type Log, silentLog } from '../../core/log.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { deliveryOutcome, type OutgoingReply } from '../../exchange/delivery.ts'
import type { Reply } from '../../exchange/reply.ts'
import { createRequest, type RequestBody, type SimRequest } from '../../exchange/request.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import type { EntryListener } from '../../journal/journal.ts'
import type { Bundle, BundledRequest } from '../bundle.ts'
import { bytesOf, type ReplayTarget } from './replay.ts'
import { nameInBundle, writeReplayFiles } from './replay-files.ts'

/** A simulator without a socket, as a replay uses it. */
interface ReplaySimulator {
  readonly contractDigest: () => string
  service(request: SimRequest): Promise<OutgoingReply>
  control(request: SimRequest, gone: AbortSignal): Promise<OutgoingReply>
  close(): Promise<void>
}

/** Creates a simulator. The error lists all findings on its inputs. */
export type CreateReplaySimulator = (
  settings: Settings,
  deps: { readonly now: () => number; readonly log: Log; readonly onExchange: EntryListener },
) => Promise<Result<ReplaySimulator, Findings>>

/**
 * Opens a simulator with the settings, documents and rules of a bundle, whose files it writes to `folder`, which must
 * exist. All sandboxes have the instant of the request that is sent. `file` is the bundle, as findings name it;
 * `contract` replaces the document of the run.
 */
export async function openReplayTarget(
  createSimulator: CreateReplaySimulator,
  bundle: Bundle,
  file: string,
  folder: string,
  contract: string | undefined,
): Promise<Result<ReplayTarget, Findings>> {
  let now = Date.parse(bundle.writtenAt)
  let last: JournalEntry | undefined
  const { settings, pointers } = await writeReplayFiles(bundle, folder, contract)
  const created = await createSimulator(settingsFor(bundle, settings), {
    now: () => now,
    log: silentLog,
    onExchange: (entry) => {
      last = entry
    },
  })
  if (!created.ok) return failure(await nameInBundle(created.error, pointers, file))
  const simulator = created.value
  return success({
    contractDigest: simulator.contractDigest(),
    async send(recorded) {
      now = Date.parse(recorded.now)
      last = undefined
      await deliverNothing(simulator, toRequest(recorded))
      if (!last) throw new Error(`the request ${recorded.id} was not recorded`)
      return last
    },
    async control(method, target, body) {
      const { status, value } = await control(simulator, method, target, body)
      return status < 300 ? undefined : refusalOf(value, status)
    },
    async export(sandbox) {
      const { value } = await control(simulator, 'GET', `/__sim/export?sandbox=${sandbox}`, undefined)
      return isObject(value) ? value : {}
    },
    close: () => simulator.close(),
  })
}

/** Returns the settings of a bundle, with its documents in `files`. */
function settingsFor({ settings }: Bundle, files: Partial<Settings>): Settings {
  const given = Object.entries(settings).filter(([, value]) => value !== null)
  return {
    ...defaultSettings(),
    ...Object.fromEntries(given), // the schema of bundles has proved their types
    ...files,
    state: ':memory:',
    clock: 'real', // that of the replay
    journalSize: 1,
    sandboxLimit: 1_000_000,
  }
}

/** Sends a request, and ends the delivery of its answer without sending it or waiting for its delay. */
async function deliverNothing(simulator: ReplaySimulator, request: SimRequest): Promise<void> {
  const { delivery, onEnd } = await simulator.service(request)
  onEnd?.(
    deliveryOutcome(delivery.mode, true, {
      sentBytes: 0,
      isCutByStop: false,
      isCutByUpstream: false,
    }),
  )
}

function toRequest({ id, at, method, path, query, headers, body, aborted }: BundledRequest): SimRequest {
  const { unreadable } = body
  const bytes = bytesOf(body)
  const read: RequestBody = aborted
    ? { kind: 'aborted' }
    : unreadable
      ? { kind: 'unreadable', ...unreadable }
      : bytes
        ? { kind: 'bytes', bytes }
        : { kind: 'absent' }
  const target = query === '' ? path : `${path}?${query}`
  return createRequest({ id, method, target, headers, body: read }, Date.parse(at))
}

async function control(
  simulator: ReplaySimulator,
  method: string,
  target: string,
  bytes: Uint8Array | undefined,
): Promise<{ readonly status: number; readonly value: Json }> {
  const headers = { host: '127.0.0.1', ...(bytes && { 'content-type': 'application/json' }) }
  const body: RequestBody = bytes ? { kind: 'bytes', bytes } : { kind: 'absent' }
  const { pathname, search } = new URL(target, 'http://127.0.0.1')
  const request = createRequest({ id: 'ctl-1', method, target: pathname + search, headers, body })
  const { reply } = await simulator.control(request, new AbortController().signal)
  return { status: reply.status, value: await readReplyBody(reply) }
}

/** Returns the JSON of a reply, which is a stream if it is long; null for a reply without a body. */
async function readReplyBody({ body, stream }: Reply): Promise<Json> {
  if (!stream) return body?.value ?? null
  let text = ''
  for await (const chunk of stream.chunks(new AbortController().signal)) text += chunk
  return JSON.parse(text)
}

function refusalOf(value: Json, status: number): string {
  const error = isObject(value) ? value['error'] : undefined
  return typeof error === 'string' ? error : `status ${status}`
}
