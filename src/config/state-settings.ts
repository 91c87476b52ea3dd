import { boolean, type SettingTable, text } from './setting.ts'

// A URL with a fault is refused when the state is opened, with a message that does not repeat its password.
const isState = (text: string) => text !== '' && (/^rediss?:/i.test(text) || !/^[a-z]+:\/\//i.test(text))
const isPrefix = (text: string) => /^[A-Za-z0-9._:-]{1,100}$/.test(text)
const isReplicaName = (text: string) => /^[A-Za-z0-9._-]{1,64}$/.test(text)

/** The settings of the state, a part of the table of settings. */
export const stateSettings = {
  state: text({
    value: 'FILE|URL',
    default: './.convsim/state.json',
    test: isState,
    expected: 'a file, ":memory:", or the URL of a Redis server (redis://cache:6379/0)',
    description:
      'File that stores prompts and events; ":memory:" stores them in memory until the process ends; the URL of a Redis server lets several replicas share them.',
  }),
  statePrefix: text({
    value: 'NAME',
    default: 'convsim',
    test: isPrefix,
    expected: '1 to 100 letters, digits, dots, colons, hyphens or underscores',
    description: 'Beginning of all keys in Redis; replicas with the same prefix share their state.',
  }),
  replica: text({
    value: 'NAME',
    default: undefined,
    defaultText: 'host and process',
    test: isReplicaName,
    expected: '1 to 64 letters, digits, dots, hyphens or underscores',
    description:
      'Name of this process among those that share a state in Redis, which answers carry in X-Sim-Replica.',
  }),
  sync: boolean({
    default: false,
    description:
      'Answer a write once its change is on the disk, so that a power failure cannot lose it; the file system decides how long that takes.',
  }),
  seedState: text({
    value: 'FILE',
    default: undefined,
    description:
      'An export (GET /__sim/export) that the default sandbox starts with, and returns to when it is reset.',
  }),
} as const satisfies SettingTable

/**
 * Finds a setting that a state in Redis cannot have, or that has no effect without one; undefined: none. `sources`: the
 * flag or variable of each setting.
 */
export function findStateProblem(
  {
    state,
    sync,
    bundle,
  }: { readonly state: string; readonly sync: boolean; readonly bundle: string | undefined },
  sources: ReadonlyMap<string, string>,
): string | undefined {
  const prefix = sources.get('statePrefix') ?? ''
  if (!/^rediss?:/i.test(state)) {
    // A variable may be for other commands, so only a flag without effect is refused.
    return prefix.startsWith('--')
      ? `${prefix} needs a state in Redis: --state redis://HOST:PORT/DATABASE.`
      : undefined
  }
  if (sync)
    return `${sources.get('sync')} takes no state in Redis (${sources.get('state')}): Redis decides when a change is on its disk. Set its appendfsync to always.`
  if (bundle === undefined) return undefined
  return `${sources.get('bundle')} takes no state in Redis (${sources.get('state')}): no replica knows in which order the others changed it.`
}
