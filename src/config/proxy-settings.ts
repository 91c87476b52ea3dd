import { parseDuration } from '../core/instant.ts'
import { boolean, text } from './setting.ts'

const isPositiveDuration = (text: string) => (parseDuration(text) ?? 0) > 0

/** The flags of `proxy` and `record`. */
export const proxySettings = {
  upstreamTimeout: text({
    flag: 'upstream-timeout',
    command: 'proxy',
    value: 'DURATION',
    default: '30s',
    test: isPositiveDuration,
    expected: 'a duration such as 500ms, 30s or 2m',
    description:
      'For proxy: the longest time until an answer of the real service begins, and between two parts of it; beyond it the client gets a 504, or the connection breaks.',
  }),
  out: text({
    flag: 'out',
    command: 'record',
    value: 'FOLDER',
    default: undefined,
    defaultText: 'none; it is required',
    description: 'For record: the folder of fixtures to write; it must be new or empty.',
  }),
  write: boolean({
    flag: 'write',
    command: 'record',
    default: false,
    description:
      'For record: write the fixtures that are listed. Without it nothing is written, unless you agree on a terminal.',
  }),
}
