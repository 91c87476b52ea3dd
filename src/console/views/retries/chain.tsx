import type { Schema } from '../../api/call.ts'
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
  const count = attempts.length + earlier
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
            {count === 1 ? 'one attempt' : `${count} attempts`}
            {count > 1 && `${earlier > 0 ? `, the last ${attempts.length}` : ''} in ${formatSpan(spanMs)}`}
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
      <RetryProblems chain={chain} />
    </li>
  )
}

function RetryState({ chain: { parallel, attempts } }: { readonly chain: Schema<'RetryChain'> }) {
  const hasProblems = attempts.some(({ findings }) => findings.length > 0)
  if (hasProblems) return <Mark kind="violation" text="retry problems" />
  if (parallel) return <span class="faint">sent in parallel, so retries cannot be judged</span>
  return attempts.length > 1 ? <Mark kind="good" text="no retry problem" /> : null
}

function Attempt({ number, attempt, next, width, requestEnd, waitEnd, missedEnd }: PlacedAttempt & { number: number }) {
  const { id, status, outcome, findings, tookMs } = attempt
  const tone = findBreak(attempt) ? 'bad' : toneOf(status)
  return (
    <li class="attempt small" style={{ width: `${width}%` }}>
      <a
        class={findings.length > 0 ? 'box faulty' : 'box'}
        href={hrefOf({ view: 'requests', id })}
        title={`Open the request ${id}, which took ${formatSpan(tookMs)}`}
      >
        <span class="hidden">Attempt {number}, </span>
        {findings.length > 0 && (
          <span class="bad" aria-hidden="true">
            ✕
          </span>
        )}{' '}
        <Outcome status={status} facts={attempt} />
        {outcome === 'uncertain' && !findBreak(attempt) && ' uncertain'}
      </a>
      <div class="track" aria-hidden="true">
        {waitEnd > 0 && <i class="demanded" style={{ left: `${requestEnd}%`, width: `${waitEnd - requestEnd}%` }} />}
        <i class={`took ${tone}`} style={{ width: `${requestEnd}%` }} />
        {missedEnd > 0 && <i class="missed" style={{ width: `${missedEnd}%` }} />}
      </div>
      <Pause attempt={attempt} next={next} />
      {next && next.insertId !== attempt.insertId && (
        <div class={brokeRule(next, 'same-insert-id') ? 'bad' : 'faint'}>
          then {next.insertId === undefined ? 'no insertId' : `insertId ${next.insertId}`}
        </div>
      )}
    </li>
  )
}

/** Shows the wait before the next attempt or, after the last attempt, the requested wait or the outcome. */
function Pause({ attempt, next }: Pick<PlacedAttempt, 'attempt' | 'next'>) {
  const retryAfter = attempt.retryAfterMs === undefined ? undefined : formatSpan(attempt.retryAfterMs)
  if (!next) return <span class="faint">{retryAfter ? `requested wait: ${retryAfter}` : endOf(attempt)}</span>
  const waited = formatSpan(next.waitedMs ?? 0)
  const isTooShort = retryAfter && brokeRule(next, 'retry-after')
  const wanted = retryAfter ? `; ${retryAfter} requested` : ''
  const tone = isTooShort || brokeRule(next, 'back-off') ? 'bad' : 'faint'
  return <span class={tone}>{isTooShort ? `waited only ${waited} of ${retryAfter}` : `waited ${waited}${wanted}`}</span>
}

function endOf({ outcome, status }: RetryAttempt): string {
  if (outcome !== 'fine' && outcome !== 'refused') return 'no retry so far'
  return status < 400 ? 'succeeded' : 'refused'
}

function RetryProblems({ chain: { attempts, earlier } }: { readonly chain: Schema<'RetryChain'> }) {
  const byText = new Map<string, number[]>()
  attempts.forEach(({ findings }, index) => {
    for (const { sentence } of findings) byText.set(sentence, [...(byText.get(sentence) ?? []), earlier + index + 1])
  })
  if (byText.size === 0) return null
  return (
    <ul class="faults remark marked violation">
      {[...byText].map(([sentence, numbers]) => (
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

const brokeRule = ({ findings }: RetryAttempt, name: string) => findings.some(({ rule }) => rule === name)

/** Formats a duration as `5 ms`, `1.1 s`, `2 min 5 s` or `24 h`. */
function formatSpan(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`
  const [seconds, minutes] = [Math.floor(ms / 1_000), Math.floor(ms / 60_000)]
  const [whole, rest] =
    minutes < 60 ? [`${minutes} min`, seconds % 60] : [`${Math.floor(minutes / 60)} h`, minutes % 60]
  return rest === 0 ? whole : `${whole} ${rest} ${minutes < 60 ? 's' : 'min'}`
}

type PlacedAttempt = ReturnType<typeof placeAttempts>['placed'][number]

/** The percentage of the timeline divided equally among attempts, so that attempts without a pause are legible. */
const equalShare = 60

/** The minimum duration of a timeline in milliseconds, so that a single fast response looks fast. */
const minLineMs = 200

/**
 * Places a chain's attempts on a timeline, using the same pauses as the retry rules: advancing the clock counts as
 * waiting. An attempt's segment ends when the next attempt starts; the last segment includes the requested wait.
 * `spanMs` is the time from the start of the first listed attempt to the end of the last one.
 */
function placeAttempts(attempts: readonly RetryAttempt[]) {
  let endMs = 0
  const timed = attempts.map((attempt, index) => {
    const startMs = index === 0 ? 0 : endMs + (attempt.waitedMs ?? 0)
    endMs = startMs + attempt.tookMs
    return { attempt, startMs, endMs, waitEndMs: endMs + (attempt.retryAfterMs ?? 0) }
  })
  // Leaves space after the last attempt, which would otherwise appear to last until the end of the timeline.
  const lineMs = Math.max(minLineMs, endMs * 1.1, ...timed.map(({ waitEndMs }) => waitEndMs))
  const placed = timed.map(({ attempt, startMs, endMs, waitEndMs }, index) => {
    const segmentMs = (timed[index + 1]?.startMs ?? lineMs) - startMs
    const earliestRetryMs = Math.max(0, ...timed.slice(0, index).map((before) => before.waitEndMs))
    const percentOf = (ms: number) => Math.min(100, Math.max(0, ((ms - startMs) / segmentMs) * 100))
    return {
      attempt,
      next: attempts[index + 1],
      /** The width of the segment, as a percentage of the timeline. */
      width: equalShare / timed.length + (segmentMs / lineMs) * (100 - equalShare),
      /** Where the bars end, as percentages of the segment: the request, the requested wait and a wait cut short. */
      requestEnd: percentOf(endMs),
      waitEnd: attempt.retryAfterMs === undefined ? 0 : percentOf(waitEndMs),
      missedEnd: percentOf(earliestRetryMs),
    }
  })
  return { spanMs: endMs, placed }
}
