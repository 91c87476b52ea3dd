import type { JsonObject } from '../core/json.ts'

/** A record after an update, and the result of the update. */
interface RecordUpdate<T> {
  /** The same record as before changes nothing. Undefined: there is none any more. */
  readonly record: JsonObject | undefined
  readonly result: T
}

/** The part of a shared state that a store in this process does not have. */
export interface SharedState {
  /** The URL of the server without user and password. */
  readonly shown: string
  /** Reads the record beside the data of a sandbox, as it is now. Undefined: there is none. The record is never changed. */
  readRecord(sandbox: string): JsonObject | undefined | Promise<JsonObject | undefined>
  /** Replaces that record. `update` has no effects, since it is called again if another process was faster. */
  updateRecord<T>(sandbox: string, update: (record: JsonObject | undefined) => RecordUpdate<T>): Promise<T>
  /** Notes the digest of this replica's inputs. Returns true if the replica that started before it had others, and any is still alive. */
  noteInputs(digest: string): Promise<boolean>
  /** Opens a bounded stream of messages, with a connection of its own. It has room for about this weight for each process. */
  openStream(size: number): Promise<SharedMessages>
  /** Lists the names of the sandboxes in the order of their creation, without reading them. */
  listSandboxes(): Promise<readonly string[]>
  /** Forgets this process's copy of a sandbox; the next use reads it again. */
  forget(sandbox: string): void
}

/** Messages that a process reads. */
export interface ReadMessages {
  readonly texts: readonly string[]
  /** True: messages before them were dropped from the stream, which this process has not read. */
  readonly isCut: boolean
}

/** A bounded stream of messages in one order, with a list of the processes that use it, and signals between them. */
export interface SharedMessages {
  /** The id of this process. */
  readonly id: string
  append(message: string, weight: number): Promise<void>
  /** Appends a message, unless one of this name was appended, which is known as long as a process runs that called this, and for a week. This process counts as alive. */
  appendOnce(name: string, message: string, weight: number): Promise<void>
  /** Reads the next messages behind those that were read before. Undefined: there are none. */
  read(): Promise<ReadMessages | undefined>
  /** Sends a signal to all processes that listen. It is not stored. */
  sendSignal(signal: object): Promise<void>
  onSignal<Signal extends object>(listener: (signal: Signal) => void): Promise<void>
  /** Says that this process is alive, and returns all that are. Appends a message if any ended without a word, or the stream was lost. */
  beat(lossMessage: string): Promise<readonly string[]>
  /** Says that this process has sent all that it has, so its end is no loss. */
  leave(): Promise<void>
  close(): void
}
