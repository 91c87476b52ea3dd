import { type Asked, ask, type Schema } from '../../api/ask.ts'
import { hrefOf } from '../../store/route.ts'
import { useAsked } from '../../store/use-response.ts'
import { count } from '../../ui/text.tsx'
import { findReplayProblem, isTokenUnknown, toReplay } from './replay.ts'
import { describeCause } from './subject.ts'

/** Says why a request gets this response, by asking how it would be handled now. Nothing changes by that. */
export function Why({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { value: now, problem } = useAsked(exchange.id, () => explain(exchange))
  const isSame = now?.response.status === exchange.response.status && now.stage === exchange.stage
  const reasons = now ? listReasons(now) : []
  return (
    <section class="message why">
      <h3>Why</h3>
      <ul class="bullets">
        {[...listPast(exchange, isSame ? undefined : now), ...reasons].map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p class="faint">
        {problem && `${problem.sentence} `}
        {isSame && 'The simulator would handle it the same way now.'}
        {now && !isSame && isTokenUnknown(exchange) && 'Tokens are not recorded, so this was asked with “any-key”.'}
      </p>
      {reasons.some((reason) => /^Rule \d+ of the .* acts/.test(reason)) && (
        <a href={hrefOf({ view: 'scenarios', query: { sandbox: exchange.sandbox } })}>
          Switch it off, or change the rules
        </a>
      )}
    </section>
  )
}

async function explain(exchange: Schema<'Exchange'>): Promise<Asked<Schema<'Explanation'>>> {
  const sentence = findReplayProblem(exchange)
  return sentence === undefined ? ask('post', '/explain', { body: toReplay(exchange) }) : { problem: { sentence } }
}

/** Returns what was recorded about a response. `now`: the response that it would get now, where that is another one. */
function listPast(exchange: Schema<'Exchange'>, now: Schema<'Explanation'> | undefined): string[] {
  const { response, damage, delivery, brokenOff } = exchange
  const { outcome, sentBytes = 0 } = delivery
  const cause = describeCause(exchange)
  const ends: Readonly<Record<string, string>> = {
    'client-gone': `The client closed the connection after ${sentBytes} bytes of the response.`,
    'upstream-gone': `The real service broke its response off after ${sentBytes} bytes.`,
    'server-stopped': `The simulator stopped after ${sentBytes} bytes of the response.`,
  }
  const placed = damage.filter((one) => one.includes(' at '))
  return [
    ...(now && cause ? [`Then it was handled by ${cause}.`] : []),
    ...(placed.length > 0 ? [`A scenario damaged the response: ${placed.join(', ')}.`] : []),
    ...(ends[outcome] ? [ends[outcome]] : []),
    ...(brokenOff ? ['The client left before the end of its body.'] : []),
    ...(now ? [`It got ${response.status}. Sent now, it would get ${now.response.status}:`] : []),
  ]
}

const deliveries = {
  dribble: 'The body comes in pieces.',
  hang: 'No response is sent, and the connection stays open.',
  reset: 'The connection is reset instead of a response.',
  empty: 'The connection is closed without a response.',
  truncated: 'The body is cut off, and the connection closed.',
  malformed: 'The body is cut off, so that it is no JSON.',
} as const

function listReasons({ why, stage, delivery, response, violations }: Schema<'Explanation'>): string[] {
  const places = count(violations.length, 'place')
  return [
    // The broken rules stand below, each at its place.
    ...(stage === 'validate' && violations.length > 0
      ? [`Refused with ${response.status}: the request breaks the contract, in ${places}.`]
      : why.map((one) => one.replace(/^The stage "\w+" returns (\d+): /, 'Refused with $1: '))),
    ...(delivery === 'whole' ? [] : [deliveries[delivery]]),
  ]
}
