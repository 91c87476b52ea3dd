import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { ResponseOf, Schema } from '../../api/call.ts'
import { confirmAction, valueOrNotice } from '../../store/notices.ts'
import { refreshSandboxes } from '../../store/server.ts'
import { Button, CopyButton } from '../../ui/controls.tsx'
import { Empty, eventRequest } from '../../ui/empty.tsx'
import { RuleForm } from './rule-form.tsx'
import {
  changeRules,
  choiceOf,
  headerOf,
  listConditions,
  nameRule,
  type Rules,
  removeAllRules,
  textOf,
} from './rules.ts'

type RuleListProps = ResponseOf<'/scenarios', 'get'> & { readonly reload: () => Promise<void> }

export function RuleList({ rules, startup, counts, reload }: RuleListProps) {
  const change = useQueuedChanges(reload)
  const put = (edit: (rules: Rules) => Rules) => valueOrNotice(change(rules, edit))
  return (
    <>
      <header class="pane-head">
        <h2>Rules</h2>
        {rules.length > 0 && (
          <>
            <Button label="Reset counts" class="quiet" onClick={() => void put((current) => current)} />
            <Button label="Remove all" class="quiet" onClick={() => void removeAllRules()} />
          </>
        )}
      </header>
      {rules.length === 0 ? (
        <Empty title="No rules yet" curl={eventRequest({}, { 'X-Sim-Scenario': 'rate-limited' })}>
          Pick a scenario to switch it on for many requests, or name a scenario in the header of a single request:
        </Empty>
      ) : (
        <>
          <p class="faint">
            Rules are tried in order until one applies to the request. Adding a rule keeps the counts; any other change
            to this list resets them.
          </p>
          <ol class="rules stack">
            {rules.map((rule, index) => (
              <RuleItem key={index} {...{ rule, index, change }} count={counts.rules[index] ?? { applied: 0 }} />
            ))}
          </ol>
        </>
      )}
      {startup.length > 0 && (
        <>
          <h2>Startup rules</h2>
          <p class="faint">
            Server options set these rules. In every sandbox, they are tried after the sandbox’s own rules.
          </p>
          <ol class="rules stack">
            {startup.map((rule, index) => (
              <li key={index} class="rule box wraps">
                <span class="faint">{index + 1}</span>
                <RuleText rule={rule} count={counts.startup[index] ?? { applied: 0 }} />
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}

/** Returns a `changeRules` that queues changes, in case users click quickly, and reloads the rules after each one. */
function useQueuedChanges(reload: () => Promise<void>): typeof changeRules {
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  return (expected, edit) => {
    const result = queue.current.then(async () => {
      const changed = await changeRules(expected, edit)
      await Promise.all([reload(), refreshSandboxes()])
      return changed
    })
    queue.current = result
    return result
  }
}

interface RuleItemProps {
  readonly rule: Schema<'Rule'>
  readonly index: number
  readonly count: Schema<'RuleCount'>
  readonly change: typeof changeRules
}

function RuleItem({ rule, index, count, change }: RuleItemProps) {
  /** The rule as it was when its form was opened; undefined while the form is closed. */
  const initial = useSignal<Schema<'Rule'> | undefined>(undefined)
  const choice = initial.value && choiceOf(initial.value)
  const name = `rule ${index + 1}`
  const isOn = rule.enabled !== false
  // Another client may have replaced the rule, even while the form is open.
  const changeThisRule = (edit: (rules: Rules) => Rules, expected = rule) =>
    change(undefined, (rules) => (textOf(rules[index]) === textOf(expected) ? edit(rules) : undefined))
  const put = (edit: (rules: Rules) => Rules) => valueOrNotice(changeThisRule(edit))
  const toggle = ({ currentTarget: { checked: enabled } }: { readonly currentTarget: HTMLInputElement }) =>
    put((rules) => rules.with(index, { ...rule, enabled }))
  const moveUp = async () => {
    await put((rules) => rules.toSpliced(index, 1).toSpliced(index - 1, 0, ...rules.slice(index, index + 1)))
    focusLater(`move-${Math.max(1, index - 1)}`)
  }
  const remove = async () => {
    const losses = [[nameRule(rule), ...listConditions(rule)].join(' · ')]
    if (await confirmAction(`Remove ${name}?`, losses)) await put((rules) => rules.toSpliced(index, 1))
  }
  const closeForm = () => {
    initial.value = undefined
    focusLater(`edit-${index}`)
  }
  const save = async (changed: Schema<'Rule'>) => {
    const keepSwitch = (rules: Rules) => (rules[index]?.enabled === false ? { ...changed, enabled: false } : changed)
    const saved = await changeThisRule((rules) => rules.with(index, keepSwitch(rules)), initial.peek())
    if (saved.value) closeForm()
    return saved
  }
  return (
    <li
      class={isOn ? 'rule box wraps' : 'rule box wraps off'}
      onKeyDown={(event) => event.key === 'Escape' && initial.value && closeForm()}
    >
      <label class="on-off bar">
        <span class="faint">{index + 1}</span>
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          checked={isOn}
          aria-label={`Enable ${name}`}
          onChange={toggle}
        />
        <span class="faint small">{isOn ? 'on' : 'off'}</span>
      </label>
      <RuleText rule={rule} count={count}>
        {index > 0 && (
          <Button label="↑" class="quiet" id={`move-${index}`} aria-label={`Move ${name} up`} onClick={moveUp} />
        )}
        <Button
          label="Edit"
          class="quiet"
          id={`edit-${index}`}
          aria-label={`Edit ${name}`}
          aria-expanded={initial.value !== undefined}
          onClick={() => (initial.value = initial.value ? undefined : rule)}
        />
        <CopyButton label="Copy header" title={`Copy header for ${name}`} text={headerOf(rule)} />
        <Button label="✕" class="quiet" aria-label={`Remove ${name}`} title="Remove" onClick={remove} />
      </RuleText>
      {initial.value && choice && (
        <RuleForm {...{ choice, save }} rule={initial.value} action="Save" onCancel={closeForm} />
      )}
    </li>
  )
}

const focusLater = (id: string) => requestAnimationFrame(() => document.getElementById(id)?.focus())

type RuleTextProps = Pick<RuleItemProps, 'rule' | 'count'> & { readonly children?: ComponentChildren }

const RuleText = ({ rule, count: { applied, left, skipReason }, children }: RuleTextProps) => (
  <>
    <div class="grows breaks">
      <code>
        <b>{nameRule(rule)}</b>
      </code>
      {rule.sequence !== undefined && <span class="faint"> sequence</span>}
      <p class="faint">{listConditions(rule).join(' · ')}</p>
      {skipReason !== undefined && <p class="bad">Skipped: {skipReason}</p>}
    </div>
    <div class="number last">
      {children}
      <p>
        applied <b>{applied.toLocaleString('en')}×</b>
        {left !== undefined && (left > 0 ? `, ${left.toLocaleString('en')} left` : ', used up')}
      </p>
    </div>
  </>
)
