import { machineNow } from '../../core/timers.ts'
import type { SharedState } from '../shared-state.ts'
import { type Store, StoreUnavailableError } from '../store.ts'
import { connectionName, type RedisConnection } from './connection.ts'
import { sharedKeys } from './keys.ts'
import type { RedisLocation } from './location.ts'
import { FORMAT_MARK } from './lua/prelude.ts'
import { CLOCK_TOLERANCE_MS } from './redis-counters.ts'

/** The options of the comparison of clocks. */
export interface ClockOptions {
  /** Receives a sentence if the clocks of this machine and of Redis differ. Default: no effect. */
  readonly warn?: (problem: string) => void
  /** Returns the machine's time, epoch milliseconds, for tests. */
  readonly now?: () => number
}

/** The checks of a server. */
interface ServerChecks extends Pick<SharedState, 'registerInputs'>, Pick<Store, 'findOutage'> {
  /** Throws an error with the fault of a server that cannot hold the state. Returns warnings of its settings. */
  start(): Promise<readonly string[]>
}

/**
 * Creates checks whether a Redis can hold a state, and agrees with this process on format, clock and inputs. `warn`
 * receives a sentence each time that the clocks begin to differ too much.
 */
export function createServerChecks(
  connection: RedisConnection,
  location: RedisLocation,
  { warn = () => {}, now = machineNow }: ClockOptions,
): ServerChecks {
  const { prefix, shown } = location
  let isClockReported = false

  /** Marks the state with its format, and compares the clocks. Returns a sentence about another format, if so. */
  async function findFormatFault(): Promise<string | undefined> {
    const before = now()
    const [found, time] = await Promise.all([
      connection.call('set', `${sharedKeys(prefix)}format`, FORMAT_MARK, 'NX', 'GET'),
      connection.call('time'),
    ])
    const [seconds, micros] = time as string[] // which `TIME` returns
    compareClocks(before, Number(seconds) * 1000 + Number(micros) / 1000)
    if (found === null || found === FORMAT_MARK) return undefined
    return (
      `The state in ${shown} cannot be used: the keys with the prefix "${prefix}" have the format ` +
      `"${String(found)}", and this version knows "${FORMAT_MARK}". Use the version that wrote them, or another ` +
      'prefix (--state-prefix).'
    )
  }

  /** Compares the time of Redis with those of this machine before and after the command that read it. */
  function compareClocks(before: number, redisMs: number): void {
    const aheadMs = Math.max(0, before - redisMs) - Math.max(0, redisMs - now())
    const isOff = Math.abs(aheadMs) > CLOCK_TOLERANCE_MS
    const difference = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Redis`
    if (isOff && !isClockReported)
      warn(
        `The clock of this machine is ${difference}. Limits of requests hold across replicas whose clocks differ by ` +
          `less than ${CLOCK_TOLERANCE_MS / 1000} s. Synchronise the clocks of all machines.`,
      )
    isClockReported = isOff
  }

  return {
    async start() {
      const info = String(await connection.call('info'))
      const fault = /^cluster_enabled:1/m.test(info) ? `The state in ${shown} ${CLUSTER}` : await findFormatFault()
      if (fault !== undefined) throw new Error(fault)
      const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
      const eviction = `Redis has the maxmemory-policy ${policy}, so it may delete parts of the state.`
      return [connection.warning ?? [], policy === 'noeviction' ? [] : `${eviction} Set it to noeviction.`].flat()
    },

    /** A Redis that is reached takes changes if it takes the mark of the format again. */
    async findOutage() {
      try {
        return await findFormatFault()
      } catch (error) {
        if (error instanceof StoreUnavailableError) return error.message
        throw error
      }
    },

    /** Compares the inputs as far as Redis may list its clients. */
    async registerInputs(digest) {
      const before = await connection.call('set', `${sharedKeys(prefix)}inputs`, digest, 'GET')
      if (before === null || before === digest) return false
      const clients = await connection.call('client', 'LIST', 'TYPE', 'normal').catch(String)
      return String(clients).split(` name=${connectionName(location)} `).length > 2 // this process has one of them
    },
  }
}

const CLUSTER =
  'cannot be used: that server is a node of a cluster (cluster-enabled yes), and the state needs one server that has ' +
  'all keys. Name a Redis without cluster mode in --state, or set cluster-enabled no.'
