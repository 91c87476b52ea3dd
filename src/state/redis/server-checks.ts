import { machineNow } from '../../core/timers.ts'
import { StoreUnavailableError } from '../store.ts'
import type { RedisConnection } from './connection.ts'
import { isRefusal } from './faults.ts'
import { connectionName } from './handshake.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { CLOCK_TOLERANCE_MS } from './lua/counter-scripts.ts'
import { FORMAT_MARK } from './lua/prelude.ts'

/** Checks whether a Redis can hold a state, and agrees with this process on format, clock and inputs. */
export class ServerChecks {
  readonly #connection: RedisConnection
  readonly #location: RedisLocation
  readonly #warn: (problem: string) => void
  readonly #now: () => number
  #isClockReported = false

  /** `warn` receives a sentence each time that the clocks begin to differ too much; `now` is for tests. */
  constructor(
    connection: RedisConnection,
    location: RedisLocation,
    warn: (problem: string) => void,
    now: () => number = machineNow,
  ) {
    this.#connection = connection
    this.#location = location
    this.#warn = warn
    this.#now = now
  }

  /** Throws an error with the fault of a server that cannot hold the state. Returns warnings of its settings. */
  async start(): Promise<readonly string[]> {
    const info = String(await this.#connection.call('info'))
    const fault = /^cluster_enabled:1/m.test(info) ? CLUSTER : await this.#findFormatFault()
    if (fault !== undefined) throw new Error(fault)
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
    const eviction = `Redis has the maxmemory-policy ${policy}, so it may delete parts of the state.`
    return [this.#connection.warning ?? [], policy === 'noeviction' ? [] : `${eviction} Set it to noeviction.`].flat()
  }

  /** Finds why Redis takes no changes at present, by writing the mark of the format again; undefined: it takes them. */
  async findWriteFault(): Promise<string | undefined> {
    try {
      const fault = await this.#findFormatFault()
      return fault && `The state in ${this.#location.shown} cannot be used: ${fault}`
    } catch (error) {
      if (error instanceof StoreUnavailableError) return error.message
      throw error
    }
  }

  /** Marks the state with its format, and compares the clocks. Returns a sentence about another format, if so. */
  async #findFormatFault(): Promise<string | undefined> {
    const { prefix } = this.#location
    const before = this.#now()
    const [found, time] = await Promise.all([
      this.#connection.call('set', `${sharedKeys(prefix)}format`, FORMAT_MARK, 'NX', 'GET'),
      this.#connection.call('time'),
    ])
    const [seconds, micros] = time as string[] // which `TIME` returns
    this.#compareClocks(before, Number(seconds) * 1000 + Number(micros) / 1000)
    if (found === null || found === FORMAT_MARK) return undefined
    return (
      `the keys with the prefix "${prefix}" have the format "${String(found)}", and this version knows ` +
      `"${FORMAT_MARK}". Use the version that wrote them, or another prefix (--state-prefix).`
    )
  }

  /** Compares the time of Redis with those of this machine before and after the command that read it. */
  #compareClocks(before: number, redisMs: number): void {
    const aheadMs = Math.max(0, before - redisMs) - Math.max(0, redisMs - this.#now())
    const isOff = Math.abs(aheadMs) > CLOCK_TOLERANCE_MS
    const difference = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Redis`
    if (isOff && !this.#isClockReported)
      this.#warn(
        `The clock of this machine is ${difference}. Limits of requests hold across replicas whose clocks differ by ` +
          `less than ${CLOCK_TOLERANCE_MS / 1000} s. Synchronise the clocks of all machines.`,
      )
    this.#isClockReported = isOff
  }

  /** Does what `SharedState.registerInputs` describes, as far as Redis may list its clients. */
  async registerInputs(digest: string): Promise<boolean> {
    const before = await this.#connection.call('set', `${sharedKeys(this.#location.prefix)}inputs`, digest, 'GET')
    if (before === null || before === digest) return false
    try {
      const clients = String(await this.#connection.call('client', 'LIST', 'TYPE', 'normal'))
      return clients.split(` name=${connectionName(this.#location)} `).length > 2 // this process has one of them
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }
}

const CLUSTER =
  'that server is a node of a cluster (cluster-enabled yes), and the state needs one server that has all keys. ' +
  'Name a Redis without cluster mode in --state, or set cluster-enabled no.'
