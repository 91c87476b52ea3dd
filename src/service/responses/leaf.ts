import type { Json, JsonObject } from '../../base/core/json.ts'
import { type FlatSchema, numberOf } from './flatten.ts'

export interface Tools {
  /** Returns text that matches a regular expression; undefined if none is found. */
  readonly matchText: (pattern: string, seed: number) => string | undefined
  readonly isMatch: (pattern: string, text: string) => boolean
  readonly isValid?: (schema: JsonObject, value: Json) => boolean
}

const maxLength = 10_000

const FORMATS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ['email idn-email', 'user@example.com', 'a@b.co'],
    ['hostname idn-hostname', 'example.com', 'a.co'],
    ['uri iri', 'https://example.com', 'a:b'],
    ['url', 'https://example.com', 'http://a.co'],
    ['uri-reference iri-reference', '/example'],
    ['uri-template', '/{example}'],
    ['ipv4', '192.0.2.1'],
    ['ipv6', '2001:db8::1', '::1'],
    ['date iso-8601', '2026-01-15'],
    ['time', '12:00:00Z'],
    ['date-time', '2026-01-15T12:00:00Z'],
    ['duration', 'P1D'],
    ['uuid', '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'],
    ['byte', 'dGV4dA=='],
    ['regex', '^a'],
    ['json-pointer', '/a'],
    ['relative-json-pointer', '0'],
  ].flatMap(([names = '', ...candidates]) => names.split(' ').map((name) => [name, candidates] as const)),
)

/** Returns text within a schema's length limits. Without a pattern or a known format, variants differ if possible. */
export function makeText(flat: FlatSchema, variant: number, matchText: Tools['matchText']): string {
  const { pattern, format } = flat
  const min = Math.min(numberOf(flat.minLength, 0), maxLength)
  const max = numberOf(flat.maxLength, maxLength)
  const matched = typeof pattern === 'string' ? matchText(pattern, variant) : undefined
  const candidates = matched === undefined ? FORMATS.get(String(format)) : [matched]
  if (candidates === undefined) {
    const suffix = String(variant || '')
    return 'string'.padEnd(min, 'string').slice(0, Math.max(0, max - suffix.length)) + suffix.slice(0, max)
  }
  const text = candidates.find(({ length }) => length <= max) ?? candidates.at(-1) ?? ''
  return [...text.padEnd(min, text.at(-1))].slice(0, max).join('')
}

/** Returns a number near 0, within a schema's limits. Each later variant is one step further away, up to the limit. */
export function makeNumber(flat: FlatSchema, variant: number, isInteger: boolean): number {
  const above = numberOf(flat.exclusiveMinimum, Number.NEGATIVE_INFINITY)
  const below = numberOf(flat.exclusiveMaximum, Number.POSITIVE_INFINITY)
  const low = Math.max(above, numberOf(flat.minimum, Number.NEGATIVE_INFINITY))
  const high = Math.min(below, numberOf(flat.maximum, Number.POSITIVE_INFINITY))
  const divisor = numberOf(flat.multipleOf, isInteger ? 1 : 0)
  const multiples = Array.from({ length: 100 }, (_, index) => divisor * (index + 1))
  const unit = multiples.find((multiple) => !isInteger || Number.isInteger(multiple)) ?? 1
  const step = unit || Math.min((high - low) / 4, 0.5)
  const align = (limit: number, round: (number: number) => number) =>
    unit > 0 ? round(Number((limit / unit).toPrecision(12))) * unit : limit
  const [lowest, highest] = [align(low, Math.ceil), align(high, Math.floor)]
  const first = lowest <= above ? lowest + step : lowest
  const last = highest >= below ? highest - step : highest
  const start = Math.min(Math.max(0, first), last)
  const value = last < 0 ? Math.max(start - variant * step, first) : Math.min(start + variant * step, last)
  return Number(value.toPrecision(15))
}
