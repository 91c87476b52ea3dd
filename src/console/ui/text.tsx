import type { Schema } from '../api/call.ts'
import { machineNow, nameOf, sandboxNow } from '../store/server.ts'

/** Converts a field's value to text. A field can have any type, because users can edit the contract. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

export const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

/** Shortens a UUID but keeps it recognizable: `4f7c2a1e…9c34`. Leaves other text unchanged. */
export const shortId = (id: string): string => (isUuid(id) ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)

/** Returns the name of a model or product, or its shortened ID if the name is unknown. */
export const nameOrId = (id: unknown): string => nameOf(asText(id)) ?? shortId(asText(id))

export const pluralize = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`

export function countListed(listed: number, total: number): string {
  const all = `${total.toLocaleString('en')} listed`
  return total === 0 ? '' : listed < total ? `${listed.toLocaleString('en')} of ${all}` : all
}

/** Returns a search term, with its value in quotes if necessary: `type:"signup completed"`. */
export const searchTerm = (keyword: string, value: string): string =>
  `${keyword}:${/^$|[\s"]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value}`

/** Names a rule by its position: `rule 2`, or `startup rule 1`. */
export const nameRuleAt = ({ index, scope }: Schema<'RuleReference'>): string =>
  `${scope === 'sandbox' ? '' : 'startup '}rule ${index + 1}`

export const hasWords = (text: string, search = ''): boolean =>
  search.split(/\s+/).every((word) => text.toLowerCase().includes(word.toLowerCase()))

/** A JSON object with unknown members. Check each member before you use it. */
export type JsonRecord = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}

export const textOrEmpty = (value: unknown) => (typeof value === 'string' ? value : '')

/** Formats an instant as `2026-01-15 12:00:00`, in UTC. */
export const formatInstant = (instant: string | number): string =>
  new Date(instant).toISOString().slice(0, 19).replace('T', ' ')

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Formats an age in milliseconds (negative for a time in the future): `now`, `12 s ago`, `in 3 h`. */
function formatAgo(ageMs: number): string {
  const size = Math.abs(ageMs)
  const unit = units.find(([, length]) => size >= length)
  if (!unit) return 'now'
  const span = `${Math.floor(size / unit[1])} ${unit[0]}`
  return ageMs > 0 ? `${span} ago` : `in ${span}`
}

/** Formats a duration: `0.41 ms`, `12 ms`, `1.2 s`. */
export function formatDuration(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(2)} ms`
}

export function Ago({ instant, clock = 'sandbox' }: { instant: string; clock?: 'sandbox' | 'machine' }) {
  const now = clock === 'sandbox' ? sandboxNow.value : machineNow.value
  return (
    <time dateTime={instant} title={`${formatInstant(instant)} UTC`}>
      {formatAgo(now - Date.parse(instant))}
    </time>
  )
}

export const Instant = ({ instant }: { readonly instant: string }) => (
  <span class="nowrap">
    {formatInstant(instant)} UTC <span class="faint">{formatAgo(sandboxNow.value - Date.parse(instant))}</span>
  </span>
)

export function toneOf(status: number): 'good' | 'warn' | 'bad' | 'faint' {
  if (status >= 500) return 'bad'
  if (status >= 400) return 'warn'
  return status >= 200 && status < 300 ? 'good' : 'faint'
}

export const Status = ({ code }: { readonly code: number }) => (
  <span class={`status nowrap ${toneOf(code)}`}>{code}</span>
)

const symbols = { violation: '✕', advice: '△', damage: '⚡︎', good: '✓', neutral: '○' } as const

/**
 * Text with a symbol in front of it. A mark with a `title` is a button, so that users can focus it to show the tooltip.
 * If the button is in a table row, clicking it opens that row.
 */
export function Mark({ kind, text, title }: { kind: keyof typeof symbols; text: string; title?: string }) {
  const Tag = title === undefined ? 'span' : 'button'
  const openRow = ({ currentTarget }: { readonly currentTarget: Element }) =>
    currentTarget.closest('tr')?.querySelector('a')?.click()
  const tooltip = title !== undefined && { 'data-tip': title, 'aria-label': `${text}: ${title}`, onClick: openRow }
  return (
    <Tag class={`mark small nowrap ${kind}`} {...tooltip}>
      <span aria-hidden="true">{symbols[kind]}</span> {text}
    </Tag>
  )
}
