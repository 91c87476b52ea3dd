import { parseSize } from '../core/byte-size.ts'
import { parseDuration } from '../core/instant.ts'
import { integer, type SettingTable, text } from './setting.ts'

const isDuration = (text: string) => parseDuration(text) !== undefined
const maxWindowMs = 30 * 24 * 3_600_000

/** Returns true for whole seconds, as headers have no fractions of them. */
const isWindow = (text: string) => {
  const ms = parseDuration(text) ?? 0
  return ms > 0 && ms % 1000 === 0 && ms <= maxWindowMs
}
const isSize = (text: string) => parseSize(text) !== undefined

/** The settings that bound sizes and numbers, a part of the table of settings. */
export const limitSettings = {
  drain: text({
    value: 'DURATION',
    default: '0s',
    test: isDuration,
    expected: 'a duration such as 500ms or 3s',
    description:
      'Time after a stop was requested in which requests are still answered while health is 503, so that a load balancer sends the next ones elsewhere.',
  }),
  analysesWindow: text({
    value: 'DURATION',
    default: '1h',
    test: isWindow,
    expected: 'whole seconds up to 30 days, such as 10s or 5m',
    description:
      'Time in which --max-analyses-per-hour, or the limit of the plan, counts, instead of an hour; a client can wait out the 429 of a short one.',
  }),
  sandboxLimit: integer({
    default: 1000,
    min: 1,
    max: 1_000_000,
    description: 'Maximum number of sandboxes; beyond it the one that is idle for longest is evicted.',
  }),
  bodyLimit: text({
    value: 'SIZE',
    default: '1mb',
    test: isSize,
    expected: 'a size of at least one byte, such as 500kb or 1mb',
    description: 'Maximum size of a request body; a larger one gets a 413.',
  }),
  journalSize: integer({
    default: 10_000,
    min: 0,
    max: 1_000_000,
    description:
      'Maximum number of exchanges in the journal; beyond it the oldest are evicted. Fewer fit if they take more than 2 kB each, not counting bodies.',
  }),
} as const satisfies SettingTable
