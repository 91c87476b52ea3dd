import { parseDuration } from '../core/instant.ts'
import { text } from './setting.ts'

const isPositiveDuration = (text: string) => (parseDuration(text) ?? 0) > 0

/** The flags of `proxy`. */
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
}
