import type { Schema } from '../../api/call.ts'
import { hrefOf } from '../../store/route.ts'
import { pluralize } from '../../ui/text.tsx'

/** Shows why a request got its response: the reasons in the journal, and any problems with the delivery. */
export function Why({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const reasons = [...listReasons(exchange), ...listDeliveryProblems(exchange)]
  return (
    <section class="message why">
      <h3>Why</h3>
      <ul class="bullets breaks">
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {exchange.rule && reasons.some((reason) => /^(Sandbox|Startup) rule \d+ applies/.test(reason)) && (
        <a href={hrefOf({ view: 'scenarios', query: { sandbox: exchange.sandbox } })}>
          Switch the rule off, or change the rules
        </a>
      )}
    </section>
  )
}

function listReasons({ why = [], stage, response, violations }: Schema<'Exchange'>): string[] {
  const refusal = /^The stage "\w+" returns (\d+): /
  // Each violation is shown below, next to its value.
  if (stage !== 'validate' || violations.length === 0)
    return why.map((reason) => reason.replace(refusal, 'Refused with $1: '))
  return [`Refused with ${response.status}: the request has ${pluralize(violations.length, 'contract violation')}.`]
}

function listDeliveryProblems({ damage, delivery, brokenOff }: Schema<'Exchange'>): string[] {
  const { outcome, sentBytes = 0 } = delivery
  const sent = pluralize(sentBytes, 'byte')
  const ends: Readonly<Record<string, string>> = {
    'client-gone': `The client closed the connection when ${sent} of the response body had been sent.`,
    'upstream-gone': `The real service closed the connection when ${sent} of the response body had been sent.`,
    'server-stopped': `The simulator was stopped when ${sent} of the response body had been sent.`,
  }
  const located = damage.filter((one) => one.includes(' at '))
  return [
    ...(located.length > 0 ? [`A scenario damaged the response: ${located.join(', ')}.`] : []),
    ...(ends[outcome] ? [ends[outcome]] : []),
    ...(brokenOff ? ['The client disconnected before it had sent the complete request body.'] : []),
  ]
}
