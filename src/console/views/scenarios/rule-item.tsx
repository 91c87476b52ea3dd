import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { askOnce } from '../../store/question.ts'
import { type ChangedRules, moveItem, type Rules } from '../../store/rules.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { headerOf, listConditions, nameRule } from './describe-rule.ts'
import { RuleForm } from './rule-form.tsx'
import { offerOf } from './rule-values.ts'

/** Changes the list of rules, and resolves when the page shows the change. A change that returns undefined refuses the list that it gets. */
export type ChangeRules = (change: (rules: Rules) => Rules | undefined) => ChangedRules

/** Properties of `RuleItem`. */
export interface RuleItemProps {
  readonly rule: Schema<'Rule'>
  readonly index: number
  readonly isLast: boolean
  readonly count: Schema<'RuleCount'>
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
  readonly change: ChangeRules
  /** Changes the list, and shows the problem where that fails. */
  readonly put: (change: (rules: Rules) => Rules) => Promise<void>
}

/** A rule with its counts, which the user switches, moves, edits and removes. */
export function RuleItem({ rule, index, isLast, count, catalogue, change, put }: RuleItemProps) {
  const edited = useSignal<Schema<'Rule'> | undefined>(undefined)
  const name = `rule ${index + 1}`
  const isOn = rule.enabled !== false
  const toggle = () => put((rules) => rules.map((one, at) => (at === index ? { ...one, enabled: !isOn } : one)))
  const move = async (by: number) => {
    await put((rules) => moveItem(rules, index, by))
    focusMove(index + by, by)
  }
  const remove = async () => {
    const losses = [[nameRule(rule), ...listConditions(rule)].join(' · ')]
    if (await askOnce({ title: `Remove ${name}?`, losses, action: 'Remove' }))
      await put((rules) => rules.filter((_, at) => at !== index))
  }
  const finish = () => {
    edited.value = undefined
    requestAnimationFrame(() => document.getElementById(`edit-${index}`)?.focus())
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && edited.value) finish()
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0
    const isPossible = by < 0 ? index > 0 : by > 0 && !isLast
    if (!event.altKey || !isPossible || edited.value) return
    event.preventDefault()
    void move(by)
  }
  return (
    <li class={isOn ? 'rule' : 'rule off'} data-rule={index} onKeyDown={onKey}>
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
        <button
          type="button"
          class="quiet"
          id={`edit-${index}`}
          aria-label={`Edit ${name}`}
          aria-expanded={edited.value !== undefined}
          onClick={() => (edited.value = edited.value ? undefined : rule)}
        >
          Edit
        </button>
        <CopyButton label="Copy header" title={`Copy header of ${name}`} text={headerOf(rule)} />
        <button type="button" class="quiet" aria-label={`Remove ${name}`} title="Remove" onClick={() => void remove()}>
          ✕
        </button>
      </div>
      {edited.value && <EditForm {...{ index, catalogue, change }} rule={edited.value} onEnd={finish} />}
    </li>
  )
}

interface EditFormProps extends Pick<RuleItemProps, 'index' | 'catalogue' | 'change'> {
  /** The rule as it was when the form was opened. */
  readonly rule: Schema<'Rule'>
  /** Called after the rule is saved, and when the user leaves the form. */
  readonly onEnd: () => void
}

function EditForm({ rule, index, catalogue, change, onEnd }: EditFormProps) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    element.current?.querySelector<HTMLElement>('input, select')?.focus()
  }, [])
  const save = async (edited: Schema<'Rule'>) => {
    const saved = await change((rules) =>
      // Rules can have moved while the form was open, so another could stand at the place.
      JSON.stringify(rules[index]) === JSON.stringify(rule)
        ? rules.map((one, at) => (at === index ? edited : one))
        : undefined,
    )
    if (saved.ok) onEnd()
    return saved
  }
  return (
    <div ref={element} class="rule-edit">
      <RuleForm {...{ rule, index, catalogue, save }} offer={offerOf(rule, catalogue)} action="Save" onCancel={onEnd} />
    </div>
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
    document.querySelector<HTMLButtonElement>(`[data-rule="${index}"] [data-by="${direction}"]:not(:disabled)`)
  requestAnimationFrame(() => (buttonOf(by) ?? buttonOf(-by))?.focus())
}

/** Properties of `RuleText`. */
export interface RuleTextProps {
  readonly rule: Schema<'Rule'>
  readonly count: Schema<'RuleCount'>
}

/** The texts and the counts of a rule. */
export function RuleText({ rule, count: { acted, left } }: RuleTextProps) {
  return (
    <>
      <p class="rule-name">
        <code>{nameRule(rule)}</code>
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
