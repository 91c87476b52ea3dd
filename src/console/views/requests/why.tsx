import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { type Asked, ask } from '../../api/ask.ts'
import { findReplayProblem, toReplay } from './replay.ts'

/** Says why a request is answered so, by asking how it would be answered now. Nothing changes by that. */
export function Why({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const asked = useSignal<Asked<AnswerOf<'/explain', 'post'>> | undefined>(undefined)
  const problem = findReplayProblem(exchange)
  useEffect(() => {
    if (problem !== undefined) return
    const { method, target, headers, body } = toReplay(exchange)
    const question = { method, path: target, headers, ...(body !== undefined && { body }) }
    void ask('post', '/explain', { body: question }).then((answer) => {
      asked.value = answer
    })
  }, [exchange, problem, asked])
  const sentence = problem ?? (asked.value && !asked.value.ok ? asked.value.problem.sentence : undefined)
  return (
    <section class="message why">
      <h3>Why</h3>
      <Recorded exchange={exchange} />
      {sentence !== undefined && <p class="faint">{sentence}</p>}
      {asked.value?.ok && <Reasons exchange={exchange} explanation={asked.value.value} />}
    </section>
  )
}

/** The things that happened to the answer on its way, as they were recorded. */
function Recorded({ exchange: { damage, delivery, brokenOff } }: { readonly exchange: Schema<'Exchange'> }) {
  const facts = [
    ...damage.map((one) => `A scenario damaged the answer: ${one}.`),
    ...(delivery.outcome === 'client-gone'
      ? [`The client closed the connection after ${delivery.sentBytes ?? 0} bytes of the answer.`]
      : []),
    ...(delivery.outcome === 'damaged' ? ['A scenario kept the whole answer from reaching the client.'] : []),
    ...(brokenOff ? ['The client disconnected before the end of its body.'] : []),
  ]
  if (facts.length === 0) return null
  return (
    <ul class="reasons">
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  )
}

interface ReasonsProps {
  readonly exchange: Schema<'Exchange'>
  readonly explanation: Schema<'Explanation'>
}

/** The sentences about a stage that answers for want of any other reason. */
const stageReasons: Readonly<Record<string, string>> = {
  identify: 'The contract has no such path or method.',
  authenticate: 'The bearer token is missing or refused.',
  scenario: 'A scenario asks for this answer.',
  plan: "The caller's plan does not include the operation.",
  validate: 'The request breaks the contract; the rules are marked below.',
  subject: 'The model does not exist.',
  rate: "The plan's hourly limit is used up.",
  handle: 'The request fits the contract, and no scenario changes the answer.',
}

function Reasons({ exchange, explanation: { stage, why, rule, answer, delivery } }: ReasonsProps) {
  const isSame = answer.status === exchange.answer.status
  const reasons = why.length > 0 ? why : [stageReasons[stage] ?? `The stage “${stage}” answers.`]
  const scope = rule?.scope === 'sandbox' ? 'of the sandbox' : 'given at the start'
  return (
    <>
      {!isSame && (
        <p>
          It was answered {exchange.answer.status} then. Sent now, it would be answered <b>{answer.status}</b>
          :
        </p>
      )}
      <ul class="reasons">
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
        {rule && (
          <li>
            Rule {rule.index + 1} {scope} acts.
          </li>
        )}
        {delivery !== 'whole' && <li>The answer is delivered as “{delivery}”.</li>}
      </ul>
      <p class="faint">Asked of the simulator as it is now, without any effect.</p>
    </>
  )
}
