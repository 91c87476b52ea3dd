import type { Schema } from '../../api/ask.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { Instant, Mark, toneOf } from '../../ui/text.tsx'
import { Outcome } from '../requests/request-list.tsx'
import { describeSubject, findBreak, shortenIds } from '../requests/subject.ts'

type RetryAttempt = Schema<'RetryAttempt'>

/** The minimum width of an attempt on the timeline, in pixels, so that its text is legible. */
const minAttemptWidth = 116

export function Chain({ chain }: { readonly chain: Schema<'RetryChain'> }) {
  const { id, method, path, query, insertId, attempts, earlier } = chain
  const { placed, spanMs } = placeAttempts(attempts)
  const tries = attempts.length + earlier
  const isOpen = route.value.id === id
  const target = query ? `${path}?${query}` : path
  return (
    <li class={isOpen ? 'chain open' : 'chain'} data-id={id}>
      <header class="wraps">
        <h2 class="cut-off" title={target}>
          <a href={hrefOf({ id })} aria-current={isOpen ? 'true' : undefined}>
            {describeSubject(path)}{' '}
            <span class="mono">
              {method} {shortenIds(target)}
            </span>
          </a>
        </h2>
        <RetryState chain={chain} />
        <p class="faint wraps">
          {sandbox.value === '*' && <b>{chain.sandbox} </b>}
          {attempts[0] && <Instant instant={attempts[0].now} />}
          <span>
            {tries === 1 ? 'one attempt' : `${tries} attempts in ${formatSpan(spanMs)}`}
            {earlier > 0 && `, the first ${earlier} not shown`}
          </span>
          {insertId !== undefined && (
            <span class="breaks">
              insertId <code>{insertId}</code>
            </span>
          )}
        </p>
      </header>
      <div class="scroll">
        <ol style={{ display: 'flex', minWidth: `${(placed.length * minAttemptWidth * 100) / equalShare}px` }}>
          {placed.map((one, index) => (
            <Attempt key={attempts[index]?.id} {...one} number={earlier + index + 1} />
          ))}
        </ol>
      </div>
      <Faults chain={chain} />
    </li>
  )
}

function RetryState({ chain: { parallel, attempts } }: { readonly chain: Schema<'RetryChain'> }) {
  const isBad = attempts.some(({ findings }) => findings.length > 0)
  if (isBad) return <Mark kind="violation" text="retry problems" />
  if (parallel) return <span class="faint">sent in parallel, so retries cannot be judged</span>
  return attempts.length > 1 ? <Mark kind="good" text="no retry problem" /> : null
}

function Attempt({ number, attempt, next, width, took, demanded, missed }: PlacedAttempt & { number: number }) {
  const { id, status, outcome, findings, tookMs } = attempt
  const tone = findBreak(attempt) ? 'bad' : toneOf(status)
  return (
    <li class="attempt small" style={{ width: `${width}%` }}>
      <a
        class={findings.length > 0 ? 'box faulty' : 'box'}
        href={hrefOf({ view: 'requests', id })}
        title={`${id}: it took ${formatSpan(tookMs)}. Open the request.`}
      >
        <span class="hidden">Attempt {number}, </span>
        {findings.length > 0 && (
          <span class="bad" aria-hidden="true">
            ✕
          </span>
        )}{' '}
        <Outcome status={status} end={attempt} />
        {outcome === 'uncertain' && !findBreak(attempt) && ' uncertain'}
      </a>
      <div class="track" aria-hidden="true">
        {demanded > 0 && <i class="demanded" style={{ left: `${took}%`, width: `${demanded - took}%` }} />}
        <i class={`took ${tone}`} style={{ width: `${took}%` }} />
        {missed > 0 && <i class="missed" style={{ width: `${missed}%` }} />}
      </div>
      <Pause attempt={attempt} next={next} />
      {next && next.insertId !== attempt.insertId && (
        <div class={broke(next, 'same-insert-id') ? 'bad' : 'faint'}>
          then {next.insertId === undefined ? 'no insertId' : `insertId ${next.insertId}`}
        </div>
      )}
    </li>
  )
}

/** Shows how long the client waited before its next attempt; after the last one, the wait that the response demands. */
function Pause({ attempt, next }: Pick<PlacedAttempt, 'attempt' | 'next'>) {
  const asked = attempt.retryAfterMs === undefined ? undefined : formatSpan(attempt.retryAfterMs)
  if (!next) return <span class="faint">{asked ? `demands ${asked}` : endOf(attempt)}</span>
  const waited = formatSpan(next.waitedMs ?? 0)
  if (asked && broke(next, 'retry-after')) return <span class="bad">{`only ${waited} of ${asked}`}</span>
  const tone = broke(next, 'back-off') ? 'bad' : 'faint'
  return <span class={tone}>{`waited ${waited}${asked ? `; ${asked} demanded` : ''}`}</span>
}

function endOf({ outcome, status }: RetryAttempt): string {
  if (outcome !== 'fine') return 'no attempt since'
  return status < 400 ? 'succeeded' : 'ended'
}

function Faults({ chain: { attempts, earlier } }: { readonly chain: Schema<'RetryChain'> }) {
  const tries = new Map<string, number[]>()
  attempts.forEach(({ findings }, index) => {
    for (const { sentence } of findings) tries.set(sentence, [...(tries.get(sentence) ?? []), earlier + index + 1])
  })
  if (tries.size === 0) return null
  return (
    <ul class="faults remark marked violation">
      {[...tries].map(([sentence, numbers]) => (
        <li key={sentence}>
          <span class="bad">
            {numbers.length === 1 ? 'Attempt' : 'Attempts'} {numbers.join(', ')}:
          </span>{' '}
          {sentence}
        </li>
      ))}
    </ul>
  )
}

const broke = ({ findings }: RetryAttempt, broken: string) => findings.some(({ rule }) => rule === broken)

/** Formats a duration: `5 ms`, `1.1 s`, `2 min 5 s`, `24 h`. */
function formatSpan(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`
  const [seconds, minutes] = [Math.floor(ms / 1_000), Math.floor(ms / 60_000)]
  const [whole, rest] =
    minutes < 60 ? [`${minutes} min`, seconds % 60] : [`${Math.floor(minutes / 60)} h`, minutes % 60]
  return rest === 0 ? whole : `${whole} ${rest} ${minutes < 60 ? 's' : 'min'}`
}

type PlacedAttempt = ReturnType<typeof placeAttempts>['placed'][number]

/** The percentage of the timeline that all attempts share equally, so that those without a pause are legible. */
const equalShare = 60

/** The minimum duration of a timeline in milliseconds, so that a single fast response looks fast. */
const minLineMs = 200

/**
 * Places the attempts of a chain by their judged pauses, in which advancing the sandbox's clock counts as waiting. Each
 * attempt has a segment of the line, up to the next attempt; the last one includes an unfinished wait. `spanMs` is the
 * time from the first listed attempt to the last response.
 */
function placeAttempts(attempts: readonly RetryAttempt[]) {
  let endMs = 0
  const timed = attempts.map((attempt, index) => {
    const startMs = index === 0 ? 0 : endMs + (attempt.waitedMs ?? 0)
    endMs = startMs + attempt.tookMs
    return { attempt, startMs, endMs, waitEndMs: endMs + (attempt.retryAfterMs ?? 0) }
  })
  // Space after the last response, so that it does not appear to last until the end.
  const lineMs = Math.max(minLineMs, endMs * 1.1, ...timed.map(({ waitEndMs }) => waitEndMs))
  const placed = timed.map(({ attempt, startMs, endMs, waitEndMs }, index) => {
    const pieceMs = (timed[index + 1]?.startMs ?? lineMs) - startMs
    const owedUntil = Math.max(0, ...timed.slice(0, index).map((before) => before.waitEndMs))
    const percentOf = (ms: number) => Math.min(100, Math.max(0, ((ms - startMs) / pieceMs) * 100))
    return {
      attempt,
      next: attempts[index + 1],
      /** The width of the segment, percent of the line. */
      width: equalShare / timed.length + (pieceMs / lineMs) * (100 - equalShare),
      /** The ends of the bars, percent of the segment: the request, the demanded wait, and a shortened wait. */
      took: percentOf(endMs),
      demanded: attempt.retryAfterMs === undefined ? 0 : percentOf(waitEndMs),
      missed: percentOf(owedUntil),
    }
  })
  return { spanMs: endMs, placed }
}
