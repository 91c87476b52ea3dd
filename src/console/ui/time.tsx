import { machineNow, sandboxNow } from '../store/clock.ts'

/** Formats an instant as `12:00:00.000`, in UTC as the service does. */
export const formatTimeOfDay = (instant: string): string => instant.slice(11, 23)

/** Formats an instant as `2026-01-15 12:00:00`, in UTC. */
export function formatInstant(instant: string | number): string {
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ')
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Formats a span: `now`, `12 s ago`, `in 3 h`. */
function formatAgo(ms: number): string {
  const size = Math.abs(ms)
  const [unit, length] = units.find(([, length]) => size >= length) ?? ['s', 1_000]
  const count = Math.floor(size / length)
  if (count === 0) return 'now'
  return ms > 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`
}

/** Formats a duration: `0.41 ms`, `12 ms`, `1.2 s`. */
export function formatDuration(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(2)} ms`
}

/** Formats a size in bytes: `512 B`, `1.5 kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Shows how long ago an instant of the sandbox's or the machine's clock was. The tooltip has the instant. */
export function Ago({ instant, clock = 'sandbox' }: { instant: string; clock?: 'sandbox' | 'machine' }) {
  const now = clock === 'sandbox' ? sandboxNow.value : machineNow.value
  const ms = now - Date.parse(instant)
  // The clocks of two machines differ by some milliseconds, which is no future.
  return (
    <time dateTime={instant} title={`${formatInstant(instant)} UTC`}>
      {formatAgo(Math.abs(ms) < 1_000 ? 0 : ms)}
    </time>
  )
}

/** Shows an instant by the sandbox's clock, and how long ago it was: `2026-01-15 12:00:00 UTC, 3 h ago`. */
export function Instant({ instant }: { readonly instant: string }) {
  return (
    <span class="nowrap">
      {formatInstant(instant)} UTC <span class="faint">{formatAgo(sandboxNow.value - Date.parse(instant))}</span>
    </span>
  )
}
