import type { StoredEvent, StoredPrompt } from './store.ts'

/** What the service calls quality settings, as far as events are concerned. */
export interface QualitySettings {
  /** 0 to 1: how much of an event's impact reaches the scores. */
  readonly weight: number
}

export const DEFAULT_QUALITY: QualitySettings = Object.freeze({ weight: 0.1 })

/** A copy of a sandbox at one moment, to go back to. */
export interface Snapshot {
  readonly snapshotId: string
  readonly name?: string
  /** UTC, by the sandbox's clock. */
  readonly createdAt: string
  readonly events: number
  readonly prompts: number
}

/** One sandbox as JSON, to be carried elsewhere. Its identifiers stay what they are. */
export interface SandboxExport {
  readonly format: typeof EXPORT_FORMAT
  readonly quality: QualitySettings
  readonly events: readonly StoredEvent[]
  readonly prompts: readonly StoredPrompt[]
}

export const EXPORT_FORMAT = 1

export type ImportOutcome =
  | { readonly imported: true; readonly events: number; readonly prompts: number }
  /** Each problem is a sentence that begins with its place: `events[3].impact must be a number from -1 to 1`. */
  | { readonly imported: false; readonly problems: readonly string[] }

export interface SandboxSummary {
  readonly name: string
  readonly events: number
  readonly prompts: number
  readonly snapshots: number
}
