import { useRef } from 'preact/hooks'
import type { AnswerOf } from '../../api/answers.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { askOnce } from '../../store/question.ts'
import { sandbox } from '../../store/route.ts'
import { type Rules, replaceRules } from '../../store/rules.ts'
import { Button } from '../../ui/button.tsx'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { nameRule } from './describe-rule.ts'
import { type ChangeRules, RuleItem, RuleText } from './rule-item.tsx'

/** The rules of the sandbox, which the user switches, moves and removes, and below them those of the start. */
export function RuleList({ answer, reload }: { answer: AnswerOf<'/scenarios', 'get'>; reload: () => Promise<void> }) {
  const { rules, startUp, counts } = answer
  const change = useQueuedChanges(rules, reload)
  const put = async (changed: (all: Rules) => Rules) => {
    valueOrNotice(await change(changed))
  }
  const removeAll = async () => {
    const losses = rules.map((rule, index) => `rule ${index + 1}: ${nameRule(rule)}`)
    if (await askOnce({ title: 'Remove all rules?', losses, action: 'Remove' })) await put(() => [])
  }
  return (
    <>
      <header class="pane-head">
        <h2>Rules</h2>
        {rules.length > 0 && (
          <>
            <Button label="Count anew" class="quiet" onClick={() => void put((all) => all)} />
            <Button label="Remove all" class="quiet" onClick={() => void removeAll()} />
          </>
        )}
      </header>
      {rules.length === 0 ? (
        <NoRules />
      ) : (
        <>
          <p class="faint">
            The first rule that acts on a request decides. Each change in this list makes all counts begin anew.
          </p>
          <ol class="rules stack">
            {rules.map((rule, index) => (
              <RuleItem key={index} {...{ rule, index, change, put }} count={counts.rules[index] ?? { acted: 0 }} />
            ))}
          </ol>
        </>
      )}
      {startUp.length > 0 && (
        <>
          <h2>Rules of the start</h2>
          <p class="faint">
            They hold in every sandbox, for requests that no rule above acts on. They change only with the server's
            options.
          </p>
          <ol class="rules stack">
            {startUp.map((rule, index) => (
              <li key={index} class="rule box wraps">
                <span class="faint">{index + 1}</span>
                <RuleText rule={rule} count={counts.startUp[index] ?? { acted: 0 }} />
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}

function NoRules() {
  const headers = { 'X-Sim-Scenario': 'rate-limited' }
  return (
    <Empty title="No rules yet" curl={{ method: 'POST', path: '/events', headers, body: sampleEvent }}>
      Every request is answered as the service answers it. Pick a scenario to switch it on for many requests, or name it
      in the header of a single one:
    </Empty>
  )
}

/** Makes changes one after another, each of the list that the change before has left, as clicks are fast. */
function useQueuedChanges(rules: Rules, reload: () => Promise<void>): ChangeRules {
  const latest = useRef(rules)
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  latest.current = rules
  return (change) => {
    const changing = queue.current.then(async () => {
      const shown = latest.current
      const changed = await replaceRules(sandbox.peek(), shown, change(shown))
      if (changed.ok) latest.current = changed.value.rules
      await reload()
      return changed
    })
    queue.current = changing
    return changing
  }
}
