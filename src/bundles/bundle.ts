/**
 * A sandbox and its requests in one file, and their replay.
 * This file has the form of a bundle; `write-bundle.ts` writes it; in `replay/`, `read-bundle.ts`
 * reads it and `replay.ts` repeats its requests.
 */
import type { Json, JsonObject } from '../core/json.ts'

export const bundleKind = 'convsim bundle'
export const bundleFormat = 1

/** A bundle as JSON; `spec/bundle.schema.json` describes it. Instants are ISO 8601 with milliseconds. */
export interface Bundle extends BundleHead {
  readonly sandboxes: readonly BundledSandbox[]
}

/** The part of a bundle that all its sandboxes share. */
export interface BundleHead {
  readonly kind: typeof bundleKind
  readonly format: typeof bundleFormat
  /** The machine's time. */
  readonly writtenAt: string
  /** The reasons for writing it: the conditions of `--fail-on` that were met. Empty: it was asked for. */
  readonly reasons: readonly string[]
  readonly versions: BundleVersions
  /** The document is absent where it is the bundled one. */
  readonly contract: { readonly digest: string; readonly document?: JsonObject }
  /** The content of each file of the fixtures, keys by their names; absent where they are the bundled ones. */
  readonly fixtures?: JsonObject
  /** The settings that decide answers, by their names in code. */
  readonly settings: JsonObject
  /** The rules of `--scenario` and `--rules`. */
  readonly rules: readonly Json[]
}

/** The versions on which answers depend. */
export interface BundleVersions {
  readonly convsim: string
  readonly node: string
  readonly faker: string
}

/** A sandbox of a bundle: the state at its start, what happened since, and the state at the end. */
export interface BundledSandbox {
  readonly name: string
  readonly seed: string
  readonly clock: { readonly mode: string; readonly now: string }
  readonly rules: readonly Json[]
  readonly start: BundledState & { readonly empty: boolean }
  readonly missing: MissingParts
  readonly changes: readonly BundledChange[]
  /** In the order in which their handling began. */
  readonly requests: readonly BundledRequest[]
  /** Events, prompts and quality settings at the end. */
  readonly state: JsonObject
}

/** The numbers of what happened in the sandbox and is not in the bundle. */
export interface MissingParts {
  /** Requests that the journal evicted. */
  readonly evicted: number
  /** Requests that were deleted from the journal while the state stayed. */
  readonly deleted: number
  /** Requests whose delivery had not ended. */
  readonly unfinished: number
  /** Changes by the control plane beyond the number that is held. */
  readonly changes: number
  /** Requests before the latest reload (`--watch`), whose contract, fixtures and rules are missing. Default: 0. */
  readonly reloaded?: number
}

/** A state of a sandbox, or the reason why it is not there. */
interface BundledState {
  /** An export. */
  readonly state?: JsonObject
  /** The reason why the state is not known. */
  readonly problem?: string
  /** True where credentials of the state were redacted. */
  readonly redacted?: true
}

/** A change of a sandbox by the control plane. */
export interface BundledChange extends BundledState {
  /** The position in the order of `Journal.takeOrder`. */
  readonly order: number
  readonly at: string
  /** The `operationId` of the control plane: `putScenarios`. */
  readonly operation: string
  readonly method: string
  /** The path as sent: `/__sim/scenarios`. */
  readonly path: string
  /** The query, in a bundle without the sandbox; empty for none. */
  readonly query: string
  readonly body: BundledBody
}

/** A body: its bytes as text or base64, or why they are not there. A body of size 0 stands for none. */
export interface BundledBody {
  readonly size: number
  readonly text?: string
  readonly base64?: string
  /** True where credentials were redacted, so that the bytes are others than those that were sent. */
  readonly redacted?: true
  /** True where only the beginning is there. */
  readonly cut?: true
  /** The digest of the whole body of an answer whose bytes are cut or evicted. */
  readonly sha256?: string
  /** The refusal that the body of a request caused before it was read. */
  readonly unreadable?: { readonly status: number; readonly reason: string }
}

/** A recorded request with the answer that its client was sent. */
export interface BundledRequest {
  readonly id: string
  readonly order: number
  /** The machine's time of receipt. */
  readonly at: string
  /** The sandbox's time of receipt. */
  readonly now: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: BundledBody
  /** True where the client closed the connection before the end of its body. */
  readonly aborted?: true
  /** The redacted parts: `path`, `query`, `header/cookie`, `body`, but not `authorization`, which names the caller. */
  readonly redacted: readonly string[]
  readonly answer: BundledAnswer
}

/** An answer with its delivery. */
export interface BundledAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body before a delivery cut it. */
  readonly body: BundledBody
  readonly origin: string
  readonly stage: string
  readonly scenarios: readonly string[]
  /** The damage on purpose, with the kind of the delivery: `drop-field at /messageCount`, `reset`. */
  readonly damage: readonly string[]
  readonly delayMs: number
  /** The end of the delivery: `delivered`, `damaged`, `client-gone`, `server-stopped`. */
  readonly delivery: string
}
