import { useRef } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { askOnce } from '../../store/question.ts'
import { sandbox } from '../../store/route.ts'
import { moveItem, replaceRules } from '../../store/rules.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { headerOf, listConditions } from './describe-rule.ts'

/** Properties of `RuleList`. */
export interface RuleListProps {
  readonly answer: AnswerOf<'/scenarios', 'get'>
  readonly reload: () => Promise<void>
}

/** The rules of the sandbox, which the user switches, moves and removes, and below them those of the start. */
export function RuleList({ answer: { rules, startUp, counts }, reload }: RuleListProps) {
  const put = useQueuedChanges(rules, reload)
  const removeAll = async () => {
    const losses = rules.map((rule, index) => `rule ${index + 1}: ${rule.scenario ?? rule.sequence}`)
    if (await askOnce({ title: 'Remove all rules?', losses, action: 'Remove' })) await put(() => [])
  }
  return (
    <>
      <header class="pane-head">
        <h2>Rules</h2>
        {rules.length > 0 && (
          <>
            <button type="button" class="quiet" onClick={() => void put((all) => all)}>
              Count anew
            </button>
            <button type="button" class="quiet" onClick={() => void removeAll()}>
              Remove all
            </button>
          </>
        )}
      </header>
      {rules.length === 0 ? (
        <NoRules />
      ) : (
        <>
          <p class="faint pane-note">
            The first rule that acts on a request decides. Each change makes all counts begin anew.
          </p>
          <ol class="rules">
            {rules.map((rule, index) => (
              <RuleItem
                key={index}
                {...{ rule, index, put }}
                isLast={index === rules.length - 1}
                count={counts.rules[index] ?? { acted: 0 }}
              />
            ))}
          </ol>
        </>
      )}
      {startUp.length > 0 && (
        <>
          <h2>Rules of the start</h2>
          <p class="faint pane-note">
            They hold in every sandbox, for requests that no rule above acts on. They change only with the
            server's options.
          </p>
          <ol class="rules">
            {startUp.map((rule, index) => (
              <li key={index} class="rule">
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
      Every request is answered as the service answers it. Pick a scenario to switch it on for many requests,
      or name it in the header of a single one:
    </Empty>
  )
}

type Rules = readonly Schema<'Rule'>[]

/** Changes the list of rules, and resolves when the page shows the change. */
type ChangeRules = (change: (rules: Rules) => Rules) => Promise<void>

/** Makes changes one after another, each of the list that the change before has left, since clicks are faster than answers. */
function useQueuedChanges(rules: Rules, reload: () => Promise<void>): ChangeRules {
  const latest = useRef(rules)
  const queue = useRef(Promise.resolve())
  latest.current = rules
  return (change) => {
    queue.current = queue.current.then(async () => {
      const shown = latest.current
      const changed = valueOrNotice(await replaceRules(sandbox.peek(), shown, change(shown)))
      if (changed) latest.current = changed.rules
      await reload()
    })
    return queue.current
  }
}

interface RuleItemProps {
  readonly rule: Schema<'Rule'>
  readonly index: number
  readonly isLast: boolean
  readonly count: Schema<'RuleCount'>
  readonly put: ChangeRules
}

function RuleItem({ rule, index, isLast, count, put }: RuleItemProps) {
  const name = `rule ${index + 1}`
  const isOn = rule.enabled !== false
  const toggle = () =>
    put((rules) => rules.map((one, at) => (at === index ? { ...one, enabled: !isOn } : one)))
  const move = async (by: number) => {
    await put((rules) => moveItem(rules, index, by))
    focusMove(index + by, by)
  }
  return (
    <li class={isOn ? 'rule' : 'rule off'} data-rule={index}>
      <label class="on-off">
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          checked={isOn}
          aria-label={`Switch ${name}`}
          onChange={() => void toggle()}
        />
        <span>{isOn ? 'on' : 'off'}</span>
      </label>
      <RuleText rule={rule} count={count} />
      <div class="rule-actions">
        <MoveButton name={name} by={-1} isPossible={index > 0} move={move} />
        <MoveButton name={name} by={1} isPossible={!isLast} move={move} />
        <CopyButton label="Copy header" title={`Copy header of ${name}`} text={headerOf(rule)} />
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${name}`}
          title="Remove"
          onClick={() => void put((rules) => rules.filter((_, at) => at !== index))}
        >
          ✕
        </button>
      </div>
    </li>
  )
}

interface MoveButtonProps {
  readonly name: string
  readonly by: 1 | -1
  readonly isPossible: boolean
  readonly move: (by: number) => Promise<void>
}

function MoveButton({ name, by, isPossible, move }: MoveButtonProps) {
  const [shape, word] = by < 0 ? ['↑', 'up'] : ['↓', 'down']
  return (
    <button
      type="button"
      class="quiet"
      data-by={by}
      disabled={!isPossible}
      aria-label={`Move ${name} ${word}`}
      title={`Move ${word}`}
      onClick={() => void move(by)}
    >
      {shape}
    </button>
  )
}

/** Moves the focus with a rule that was moved: to the same button, or at the end of the list to the other. */
function focusMove(index: number, by: number): void {
  const buttonOf = (direction: number) =>
    document.querySelector<HTMLButtonElement>(
      `[data-rule="${index}"] [data-by="${direction}"]:not(:disabled)`,
    )
  requestAnimationFrame(() => (buttonOf(by) ?? buttonOf(-by))?.focus())
}

interface RuleTextProps {
  readonly rule: Schema<'Rule'>
  readonly count: Schema<'RuleCount'>
}

function RuleText({ rule, count: { acted, left } }: RuleTextProps) {
  return (
    <>
      <p class="rule-name">
        <code>{rule.scenario ?? rule.sequence}</code>
        {rule.sequence !== undefined && <span class="faint"> sequence</span>}
      </p>
      <p class="rule-when faint breaks">{listConditions(rule).join(' · ')}</p>
      <p class="rule-count">
        acted <b>{acted.toLocaleString('en')}</b>
        {left !== undefined && (left > 0 ? `, ${left.toLocaleString('en')} left` : ', used up')}
      </p>
    </>
  )
}
