import type { Redis, RedisOptions } from 'ioredis'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { StoreUnavailableError } from '../store.ts'
import type { RedisLocation } from './location.ts'
import { describeStartFault, isCertificateError } from './start-fault.ts'

/** The bounds of waiting for Redis. */
export interface RedisTimeouts {
  /** The most milliseconds that a command waits for its reply. */
  readonly commandMs: number
  /** The most milliseconds that a start waits for the connection. */
  readonly connectMs: number
}

/** A reply of Redis: RESP without maps, which our commands do not use. */
export type RedisReply = string | number | null | readonly RedisReply[]

/** A script with its number of keys. */
export interface Script {
  readonly text: string
  readonly keys: number
}

/** The longest pause between two attempts to connect again, milliseconds. */
const MAX_PAUSE_MS = 500

/**
 * A connection to Redis, which connects again by itself. While there is none, every command is refused at once: commands never queue up. A
 * command that gets no reply in time ends the connection, so that its reply cannot come later, and all others are refused with it.
 */
export class RedisConnection {
  readonly #redis: Redis
  readonly #shown: string
  readonly #scripts = new Map<Script, string>()
  /** The reason for which there is no connection. Undefined: there is one. */
  #outage: string | undefined = 'the connection was not opened yet'
  /** The latest error of the connection. Undefined: none since it was made. */
  #lastError: Error | undefined
  #isClosed = false

  private constructor(redis: Redis, shown: string) {
    this.#redis = redis
    this.#shown = shown
  }

  /** Connects. The error is a sentence without user and password. `onLost` is called whenever the connection is lost. */
  static async open(
    { url, shown }: RedisLocation,
    { commandMs, connectMs }: RedisTimeouts,
    onLost: () => void,
  ): Promise<Result<RedisConnection>> {
    const loaded = await loadClient()
    if (!loaded.ok) return loaded
    const options = {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: connectMs,
      commandTimeout: commandMs,
      connectionName: 'convsim',
      retryStrategy: (times: number) => Math.min(times * 50, MAX_PAUSE_MS),
      protocol: 2,
    } as const satisfies RedisOptions
    const redis = new loaded.value(url, options)
    const connection = new RedisConnection(redis, shown)
    const first = connection.#watch(onLost, connectMs)
    try {
      await Promise.all([redis.connect(), first])
      return success(connection)
    } catch (error) {
      connection.close()
      return failure(describeStartFault(connection.#lastError ?? error, shown))
    }
  }

  /** Notices the beginning and the end of the connection. The promise rejects if there is none within `connectMs`. */
  #watch(onLost: () => void, connectMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${connectMs} ms`)), connectMs)
      this.#redis.on('ready', () => {
        this.#outage = undefined
        this.#lastError = undefined
        clearTimeout(timer)
        resolve()
      })
      this.#redis.on('close', () => {
        this.#outage ??= this.#lastError?.message ?? 'the connection was closed'
        if (this.#isClosed) clearTimeout(timer)
        onLost()
      })
      this.#redis.on('error', (error: Error) => {
        this.#lastError = error
        if (!isCertificateError(error)) return
        clearTimeout(timer)
        reject(error)
      })
    })
  }

  /** The reason for which commands are refused. Undefined: they are not. */
  get outage(): string | undefined {
    if (this.#outage === undefined) return undefined
    return `The state in ${this.#shown} cannot be reached at present (${this.#outage}). Requests that need it are answered again once it can.`
  }

  /** Runs a script in Redis. Rejects with a `StoreUnavailableError` if there is no reply. */
  async run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<RedisReply> {
    return this.call(this.#nameOf(script), ...keys, ...args)
  }

  /** Calls the listener for each message of a channel, also after the connection was lost for a moment. No command can be sent afterwards. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.#redis.on('message', (_channel, message) => listener(message))
    await this.#redis.subscribe(channel)
  }

  /** Sends a command. Rejects with a `StoreUnavailableError` if there is no reply. */
  async call(command: string, ...args: readonly (string | number)[]): Promise<RedisReply> {
    if (this.#isClosed) throw new Error('The state is closed.')
    if (this.#outage !== undefined) throw new StoreUnavailableError(this.outage)
    try {
      return await this.#send(command, args)
    } catch (error) {
      throw this.#explain(error)
    }
  }

  #send(command: string, args: readonly (string | number)[]): Promise<RedisReply> {
    const defined = (this.#redis as unknown as Record<string, unknown>)[command]
    if (typeof defined === 'function') return defined.apply(this.#redis, args) as Promise<RedisReply>
    return this.#redis.call(command, ...args) as Promise<RedisReply>
  }

  #explain(error: unknown): Error {
    const reason = reasonOf(error)
    if (reason === 'Command timed out' && this.#outage === undefined) {
      this.#outage = 'it did not answer in time'
      this.#lastError = new Error(this.#outage)
      this.#redis.disconnect(true)
    }
    const message = `The state in ${this.#shown} did not answer (${this.#lastError?.message ?? reason}); send the request again.`
    return new StoreUnavailableError(message, { cause: error })
  }

  #nameOf(script: Script): string {
    let name = this.#scripts.get(script)
    if (name === undefined) {
      name = `convsimScript${this.#scripts.size}`
      this.#redis.defineCommand(name, { numberOfKeys: script.keys, lua: script.text })
      this.#scripts.set(script, name)
    }
    return name
  }

  close(): void {
    this.#isClosed = true
    this.#redis.disconnect()
  }
}

type RedisClient = typeof import('ioredis').Redis

/** Loads the client, which an installation can leave out since it is an optional dependency. */
async function loadClient(): Promise<Result<RedisClient>> {
  try {
    return success((await import('ioredis')).Redis)
  } catch (error) {
    return failure(
      `A state in Redis needs the package ioredis, which cannot be loaded (${reasonOf(error)}). Install it: npm install ioredis@6.`,
    )
  }
}
