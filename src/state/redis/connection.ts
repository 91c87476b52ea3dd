import { hash } from 'node:crypto'
import type { Redis, RedisOptions } from 'ioredis'
import { reasonOf } from '../../base/core/result.ts'
import { sleep } from '../../base/core/timers.ts'
import { StoreUnavailableError } from '../store.ts'
import { describeReason, describeStartError, isErrorReply, replyWithin, TIMEOUT_ERROR } from './faults.ts'
import type { RedisLocation } from './location.ts'

/** How long to wait for the reply to a command, and for the first connection, in milliseconds. */
export interface RedisTimeouts {
  readonly commandMs: number
  readonly connectMs: number
}

/** A reply from Redis in version 2 of its protocol, RESP. */
export type RedisReply = string | number | null | readonly RedisReply[]

export type Argument = string | number

export type Script = ReturnType<typeof createScript>

export const createScript = (text: string) => ({ text, name: `script ${hash('sha1', text)}` })

/** Milliseconds after which a connection that Redis does not close is destroyed. */
const DESTROY_AFTER_MS = 100

/** The pause before each reconnection attempt, in milliseconds. */
const PAUSE_MS = 200

/**
 * A connection to Redis that reconnects automatically. While disconnected, it rejects every command immediately. If a
 * command times out, the connection is closed, and all pending commands are rejected.
 */
export class RedisConnection {
  readonly #redis: Redis
  readonly #location: RedisLocation
  readonly #commandMs: number
  /** Why there is no connection; undefined while connected. */
  #outage: string | undefined = 'the connection has not been opened yet'
  /** The latest error since the last successful connection, if any. */
  #lastError: Error | undefined
  #isClosed = false
  warning: string | undefined

  private constructor(redis: Redis, location: RedisLocation, commandMs: number) {
    this.#redis = redis
    this.#commandMs = commandMs
    this.#location = location
    redis.on('error', (error: Error) => {
      this.#lastError = error
    })
  }

  static async open(location: RedisLocation, { commandMs, connectMs }: RedisTimeouts): Promise<RedisConnection> {
    const { host, port, tls, database } = location
    const options = {
      host,
      port,
      db: database,
      ...(tls && { tls: {} }),
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false, // a resent change might be applied twice
      enableReadyCheck: false,
      disableClientInfo: true,
      connectTimeout: connectMs,
      disconnectTimeout: DESTROY_AFTER_MS,
      retryStrategy: () => null, // `#stayConnected` retries
      protocol: 2,
    } as const satisfies RedisOptions
    const connection = new RedisConnection(new (await loadClient())(options), location, commandMs)
    try {
      await replyWithin(connectMs, new Promise<void>((...settle) => void connection.#stayConnected(...settle)))
      return connection
    } catch (error) {
      connection.close()
      throw new Error(describeStartError(connection.#lastError ?? error, location), { cause: error })
    }
  }

  /** Connects whenever there is no connection. Calls `reject` on a failure, unless Redis is still loading its data. */
  async #stayConnected(resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#redis.connect()
        this.#lastError = undefined
        const closed = new Promise((end) => this.#redis.once('close', end))
        this.warning = await replyWithin(this.#commandMs, prepareConnection(this.#redis, this.#location))
        this.#outage = undefined
        resolve()
        await closed
      } catch (error) {
        this.#lastError = isErrorReply(error) ? error : (this.#lastError ?? (error as Error)) // always an Error
        if (!reasonOf(this.#lastError).startsWith('LOADING')) reject(error)
      }
      this.#outage = describeReason(this.#lastError)
      this.#disconnect()
      await sleep(PAUSE_MS, undefined, { ref: false })
    }
  }

  run({ name, text }: Script, keys: readonly string[], args: readonly Argument[]): Promise<RedisReply> {
    if (!(name in this.#redis)) this.#redis.defineCommand(name, { lua: text })
    const command: (...args: readonly Argument[]) => Promise<RedisReply> = Reflect.get(this.#redis, name)
    return this.#send(() => command.call(this.#redis, keys.length, ...keys, ...args))
  }

  call(command: string, ...args: readonly Argument[]): Promise<RedisReply> {
    return this.#send(() => this.#redis.call(command, ...args) as Promise<RedisReply>)
  }

  async #send(send: () => Promise<RedisReply>): Promise<RedisReply> {
    if (this.#isClosed) throw new Error('The store is closed.')
    if (this.#outage !== undefined)
      throw new StoreUnavailableError(
        `The state in ${this.#location.displayUrl} cannot be reached at the moment (${this.#outage}). ` +
          'Requests that need the state are refused until Redis is available again.',
      )
    try {
      return await replyWithin(this.#commandMs, send())
    } catch (error) {
      throw this.#handleFailure(error)
    }
  }

  #handleFailure(error: unknown): Error {
    if (error === TIMEOUT_ERROR && this.#outage === undefined) {
      this.#lastError = TIMEOUT_ERROR
      this.#outage = describeReason(TIMEOUT_ERROR)
      this.#disconnect()
    }
    const { displayUrl } = this.#location
    const reason = describeReason(isErrorReply(error) ? error : (this.#lastError ?? error))
    const message = isErrorReply(error)
      ? `Redis at ${displayUrl} refused the request: ${reason}.`
      : `Redis at ${displayUrl} did not respond (${reason}); send the request again.`
    return new StoreUnavailableError(message, { cause: error })
  }

  /** Closes the connection after the replies to all sent commands have arrived. Further commands are rejected. */
  async finish(): Promise<void> {
    this.#isClosed = true
    await replyWithin(this.#commandMs, this.#redis.quit()).catch(() => undefined)
    this.close()
  }

  close(): void {
    this.#isClosed = true
    this.#disconnect()
  }

  #disconnect(): void {
    if (this.#redis.status !== 'end') this.#redis.disconnect() // after 'end', this would start a timer
  }
}

/**
 * Authenticates and selects the database with explicit commands: left to itself, the client would continue with
 * database 0 if Redis refused to select another one. Returns a warning if Redis does not require the given password.
 */
async function prepareConnection(redis: Redis, location: RedisLocation): Promise<string | undefined> {
  const { user, password, database } = location
  let warning: string | undefined
  if (user !== '' || password !== '')
    await (user === '' ? redis.auth(password) : redis.auth(user, password)).catch((error: Error) => {
      if (!/without any password|no password is set/.test(error.message)) throw error
      warning = 'Redis requires no password, so anyone who can connect can read the state. Set a password in Redis.'
    })
  if (database !== 0) await redis.select(database)
  await redis.ping()
  return warning
}

/** Loads the client, an optional peer dependency that might not be installed. */
async function loadClient() {
  try {
    return (await import('ioredis')).Redis
  } catch (error) {
    throw new Error(
      `Storing the state in Redis requires the package ioredis, which cannot be loaded (${reasonOf(error)}). ` +
        'Install it: npm install ioredis@6.',
    )
  }
}
