import type { Schema } from '../../api/ask.ts'
import { hrefOf, route, sandbox } from '../../store/route.ts'
import { Mark, toneOf } from '../../ui/status.tsx'
import { Instant } from '../../ui/text.tsx'
import { Outcome } from '../requests/request-list.tsx'
import { describeSubject, findBreak, shortenIds } from '../requests/subject.ts'

/** The least width of an attempt on the line, so that its words can be read, in pixels. */
const minAttemptWidth = 116

/** One chain of attempts on a time line, with the rules that they broke beneath it. */
export function Chain({ chain }: { readonly chain: Schema<'RetryChain'> }) {
  const { id, method, path, query, insertId, attempts, earlier } = chain
  const { attempts: placed, spanMs } = placeAttempts(attempts)
  const first = attempts[0]
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
          {first && <Instant instant={first.now} />}
          <span>
            {tries === 1 ? 'one try' : `${tries} tries in ${formatSpan(spanMs)}`}
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
            <Attempt key={one.attempt.id} {...one} number={earlier + index + 1} next={attempts[index + 1]} />
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
  return attempts.length > 1 ? <Mark kind="good" text="well-mannered" /> : null
}

interface AttemptProps extends PlacedAttempt {
  /** The number of the attempt in the chain; 1 is the first. */
  readonly number: number
  /** The next attempt, or undefined for the last one. */
  readonly next: Schema<'RetryAttempt'> | undefined
}

function Attempt({ number, next, ...placed }: AttemptProps) {
  const { attempt, width } = placed
  const { id, status, outcome, findings, tookMs } = attempt
  return (
    <li class="attempt small" style={{ width: `${width}%` }}>
      <a
        class={findings.length > 0 ? 'box faulty' : 'box'}
        href={hrefOf({ view: 'requests', id })}
        title={`${id}: it took ${formatSpan(tookMs)}. Open the request.`}
      >
        <span class="hidden">Try {number}, </span>
        {findings.length > 0 && (
          <span class="bad" aria-hidden="true">
            ✕
          </span>
        )}{' '}
        <Outcome status={status} end={attempt} />
        {outcome === 'uncertain' && !findBreak(attempt) && ' uncertain'}
      </a>
      <Bars {...placed} />
      <Pause attempt={attempt} next={next} />
      {next && next.insertId !== attempt.insertId && (
        <span class={broke(next, 'same-insert-id') ? 'bad' : 'faint'}>
          then {next.insertId === undefined ? 'no insertId' : `insertId ${next.insertId}`}
        </span>
      )}
    </li>
  )
}

/** Says how long the client waited before its next try; after the last one, what is still asked of it. */
function Pause({ attempt, next }: Pick<AttemptProps, 'attempt' | 'next'>) {
  const asked = attempt.retryAfterMs === undefined ? undefined : formatSpan(attempt.retryAfterMs)
  if (!next) return <span class="faint">{asked ? `asks for ${asked}` : ending(attempt)}</span>
  const waited = formatSpan(next.waitedMs ?? 0)
  if (asked && broke(next, 'retry-after')) return <span class="bad">{`only ${waited} of ${asked}`}</span>
  return (
    <span
      class={broke(next, 'back-off') ? 'bad' : 'faint'}
    >{`waited ${waited}${asked ? `; ${asked} asked` : ''}`}</span>
  )
}

function ending({ outcome, status }: Schema<'RetryAttempt'>): string {
  if (outcome !== 'fine') return 'no try since'
  return status < 400 ? 'succeeded' : 'ended'
}

/** The drawing of an attempt: the request itself, the demanded wait, and what was missing of a wait before. */
function Bars({ attempt, took, demanded, missed }: PlacedAttempt) {
  const tone = findBreak(attempt) ? 'bad' : toneOf(attempt.status)
  return (
    <div class="track" aria-hidden="true">
      {demanded > 0 && <i class="demanded" style={{ left: `${took}%`, width: `${demanded - took}%` }} />}
      <i class={`took ${tone}`} style={{ width: `${took}%` }} />
      {missed > 0 && <i class="missed" style={{ width: `${missed}%` }} />}
    </div>
  )
}

/** Lists the rules that the attempts broke, each sentence once. */
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
            {numbers.length === 1 ? 'Try' : 'Tries'} {numbers.join(', ')}:
          </span>{' '}
          {sentence}
        </li>
      ))}
    </ul>
  )
}

/** Returns true where an attempt broke one of the rules. */
const broke = ({ findings }: Schema<'RetryAttempt'>, ...rules: string[]) =>
  findings.some(({ rule }) => rules.includes(rule))

/** Formats a span of time: `5 ms`, `1.1 s`, `2 min 5 s`, `24 h`. */
function formatSpan(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`
  const [whole, unit, rest, small] =
    ms < 3_600_000 ? [ms / 60_000, 'min', (ms / 1_000) % 60, 's'] : [ms / 3_600_000, 'h', (ms / 60_000) % 60, 'min']
  return Math.floor(rest) === 0
    ? `${Math.floor(whole)} ${unit}`
    : `${Math.floor(whole)} ${unit} ${Math.floor(rest)} ${small}`
}

/** An attempt with its piece of the time line, which ends where the next attempt begins. */
interface PlacedAttempt {
  readonly attempt: Schema<'RetryAttempt'>
  /** The width of the piece, percent of the line. */
  readonly width: number
  /** The ends of the bars, percent of the piece: the request, the wait it asked for, and a wait that was cut short. */
  readonly took: number
  readonly demanded: number
  readonly missed: number
}

/** The share of the line that the attempts get in equal parts, percent, so that those without a pause can be read. */
const equalShare = 60

/** The least time that a line stands for, milliseconds, so that a fast response looks fast also where it is alone. */
const minLineMs = 200

/**
 * Places the attempts of a chain by the pauses as they are judged, in which advancing the sandbox's clock is waiting.
 * The line includes a wait that is not over. `spanMs` is the time from the first listed attempt to the last response.
 */
function placeAttempts(attempts: readonly Schema<'RetryAttempt'>[]) {
  let endMs = 0
  const timed = attempts.map((attempt, index) => {
    const startMs = index === 0 ? 0 : endMs + (attempt.waitedMs ?? 0)
    endMs = startMs + attempt.tookMs
    return { attempt, startMs, endMs, waitEndMs: endMs + (attempt.retryAfterMs ?? 0) }
  })
  // Something follows the last response, so that it does not look as long as the rest of the line.
  const lineMs = Math.max(minLineMs, endMs * 1.1, ...timed.map(({ waitEndMs }) => waitEndMs))
  const placed = timed.map(({ attempt, startMs, endMs, waitEndMs }, index): PlacedAttempt => {
    const pieceMs = (timed[index + 1]?.startMs ?? lineMs) - startMs
    const owedUntil = Math.max(0, ...timed.slice(0, index).map((before) => before.waitEndMs))
    const percentOf = (ms: number) => Math.min(100, Math.max(0, ((ms - startMs) / pieceMs) * 100))
    return {
      attempt,
      width: equalShare / timed.length + (pieceMs / lineMs) * (100 - equalShare),
      took: percentOf(endMs),
      demanded: attempt.retryAfterMs === undefined ? 0 : percentOf(waitEndMs),
      missed: percentOf(owedUntil),
    }
  })
  return { spanMs: endMs, attempts: placed }
}
