import { boolean, type Setting, text } from './setting.ts'

// A URL with a fault is refused when the state is opened, with a message that does not repeat its password.
const isState = (text: string) => text !== '' && (/^rediss?:/i.test(text) || !/^[a-z]+:\/\//i.test(text))
const isPrefix = (text: string) => /^[A-Za-z0-9._:-]{1,100}$/.test(text)
const isReplicaName = (text: string) => /^[A-Za-z0-9._-]{1,64}$/.test(text)

/** The settings of the state, a part of the table of settings. */
export const stateSettings = {
  state: text({
    flag: 'state',
    value: 'FILE|URL',
    default: './.convsim/state.json',
    test: isState,
    expected: 'a file, ":memory:", or the URL of a Redis server (redis://cache:6379/0)',
    description:
      'File that stores prompts and events; ":memory:" stores them in memory until the process ends; the URL of a Redis server lets several replicas share them.',
  }),
  statePrefix: text({
    flag: 'state-prefix',
    value: 'NAME',
    default: 'convsim',
    test: isPrefix,
    expected: '1 to 100 letters, digits, dots, colons, hyphens or underscores',
    description: 'Beginning of all keys in Redis; replicas with the same prefix share their state.',
  }),
  replica: text({
    flag: 'replica',
    value: 'NAME',
    default: undefined,
    defaultText: 'host and process',
    test: isReplicaName,
    expected: '1 to 64 letters, digits, dots, hyphens or underscores',
    description:
      'Name of this process among those that share a state in Redis, which answers carry in X-Sim-Replica.',
  }),
  sync: boolean({
    flag: 'sync',
    default: false,
    description:
      'Answer a write once its change is on the disk, so that a power failure cannot lose it; the file system decides how long that takes.',
  }),
  seedState: text({
    flag: 'seed-state',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description:
      'An export (GET /__sim/export) that the default sandbox starts with, and returns to when it is reset.',
  }),
} as const satisfies Record<string, Setting<unknown>>
