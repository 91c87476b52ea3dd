import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { type Asked, ask } from '../../api/ask.ts'
import { hrefOf } from '../../store/route.ts'
import { ruleChanges } from '../../store/rules.ts'
import { findReplayProblem, isTokenUnknown, toReplay } from './replay.ts'

/** Says why a request is answered so, by asking how it would be answered now, and again after a change of rules. Nothing changes by that. */
export function Why({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const asked = useSignal<Asked<AnswerOf<'/explain', 'post'>> | undefined>(undefined)
  const problem = findReplayProblem(exchange)
  const changes = ruleChanges.value
  useEffect(() => {
    if (problem !== undefined) return
    const { method, target, headers, body } = toReplay(exchange)
    const question = { method, path: target, headers, ...(body !== undefined && { body }) }
    void ask('post', '/explain', { body: question }).then((answer) => {
      asked.value = answer
    })
  }, [exchange, problem, asked, changes])
  const sentence = problem ?? (asked.value && !asked.value.ok ? asked.value.problem.sentence : undefined)
  return (
    <section class="message why">
      <h3>Why</h3>
      {sentence !== undefined && <p class="faint">{sentence}</p>}
      {asked.value?.ok ? (
        <Reasons exchange={exchange} explanation={asked.value.value} />
      ) : (
        <List sentences={listEffects(exchange)} />
      )}
    </section>
  )
}

/** A link to the rules, shown where a reason names one of them. */
function RulesLink({ sandbox }: { readonly sandbox: string }) {
  const query = { sandbox: sandbox === 'default' ? undefined : sandbox }
  return (
    <p>
      <a href={hrefOf({ view: 'scenarios', query })}>Switch it off, or change the rules</a>
    </p>
  )
}

/** Returns the things that happened to the answer on its way, as they were recorded. */
function listEffects({ rule, damage, delivery, brokenOff }: Schema<'Exchange'>): string[] {
  return [
    ...(rule ? [`${nameRule(rule)} acted then.`] : []),
    ...damage.map((one) => `A scenario damaged the answer: ${one}.`),
    ...(delivery.outcome === 'client-gone'
      ? [`The client closed the connection after ${delivery.sentBytes ?? 0} bytes of the answer.`]
      : []),
    ...(delivery.outcome === 'upstream-gone'
      ? [`The real service broke its answer off after ${delivery.sentBytes ?? 0} bytes.`]
      : []),
    ...(delivery.outcome === 'damaged' ? ['The whole answer did not reach the client.'] : []),
    ...(brokenOff ? ['The client disconnected before the end of its body.'] : []),
  ]
}

interface ReasonsProps {
  readonly exchange: Schema<'Exchange'>
  readonly explanation: Schema<'Explanation'>
}

function Reasons({ exchange, explanation }: ReasonsProps) {
  const { status } = explanation.answer
  const effects = listEffects(exchange)
  const reasons = listReasons(explanation)
  const { rule } = explanation
  const actingRule = rule && `Rule ${rule.index + 1} of the ${rule.scope} acts`
  const isRuleNamed = actingRule !== undefined && reasons.some((reason) => reason.startsWith(actingRule))
  const rules = isRuleNamed && <RulesLink sandbox={exchange.sandbox} />
  if (status === exchange.answer.status && explanation.stage === exchange.stage)
    return (
      <>
        <List sentences={[...effects, ...reasons]} />
        {rules}
        <p class="faint">The simulator would answer it the same way now.</p>
      </>
    )
  return (
    <>
      <List sentences={effects} />
      <p>
        It was answered {exchange.answer.status} at the stage “{exchange.stage}”. Sent now, it would be answered{' '}
        <b>{status}</b>:
      </p>
      <List sentences={reasons} />
      {rules}
      {isTokenUnknown(exchange) && (
        <p class="faint">Tokens are not recorded, so this was asked with the token “any-key”.</p>
      )}
    </>
  )
}

function listReasons({ stage, why, delivery, answer, violations }: Schema<'Explanation'>): string[] {
  const broken = violations.length === 1 ? 'a rule' : `${violations.length} rules`
  return [
    // The rules stand below, each at its place.
    ...(stage === 'validate' && violations.length > 0
      ? [`The stage "validate" answers ${answer.status}, since the request breaks ${broken} of the contract.`]
      : why),
    ...(delivery === 'whole' ? [] : [`The answer is delivered as “${delivery}”.`]),
  ]
}

const nameRule = ({ scope, index }: Schema<'RuleReference'>) =>
  `Rule ${index + 1} ${scope === 'sandbox' ? 'of the sandbox' : 'given at the start'}`

function List({ sentences }: { readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null
  return (
    <ul class="reasons bullets">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
