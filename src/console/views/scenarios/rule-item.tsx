import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Schema } from '../../api/answers.ts'
import { askOnce } from '../../store/question.ts'
import { type ChangedRules, moveItem, type Rules } from '../../store/rules.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { headerOf, listConditions, nameRule } from './describe-rule.ts'
import { listOffers } from './offer.ts'
import { RuleForm } from './rule-form.tsx'
import { offerOf } from './rule-values.ts'

/** Changes the list of rules, and resolves when the page shows it. A change that returns undefined refuses the list. */
export type ChangeRules = (change: (rules: Rules) => Rules | undefined) => ChangedRules

interface RuleItemProps {
  readonly rule: Schema<'Rule'>
  readonly index: number
  readonly count: Schema<'RuleCount'>
  readonly change: ChangeRules
  /** Changes the list, and shows the problem where that fails. */
  readonly put: (change: (rules: Rules) => Rules) => Promise<void>
}

/** A rule with its counts, which the user switches, moves, edits and removes. */
export function RuleItem({ rule, index, count, change, put }: RuleItemProps) {
  /** The rule as it was when its form was opened. */
  const edited = useSignal<Schema<'Rule'> | undefined>(undefined)
  const name = `rule ${index + 1}`
  const isOn = rule.enabled !== false
  const toggle = () => put((rules) => rules.map((one, at) => (at === index ? { ...one, enabled: !isOn } : one)))
  const moveUp = async () => {
    await put((rules) => moveItem(rules, index, -1))
    requestAnimationFrame(() => document.getElementById(`move-${Math.max(1, index - 1)}`)?.focus())
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
  const save = async (changed: Schema<'Rule'>) => {
    const saved = await change((rules) =>
      // Rules can have moved while the form was open, so another could stand at the place.
      JSON.stringify(rules[index]) === JSON.stringify(edited.peek())
        ? rules.map((one, at) => (at === index ? changed : one))
        : undefined,
    )
    if (saved.ok) finish()
    return saved
  }
  return (
    <li
      class={isOn ? 'rule box wraps' : 'rule box wraps off'}
      onKeyDown={(event) => event.key === 'Escape' && edited.value && finish()}
    >
      <label class="on-off bar">
        <span class="faint">{index + 1}</span>
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          checked={isOn}
          aria-label={`Switch ${name}`}
          onChange={() => void toggle()}
        />
        <span class="faint small">{isOn ? 'on' : 'off'}</span>
      </label>
      <RuleText rule={rule} count={count}>
        {index > 0 && (
          <Button
            label="↑"
            class="quiet"
            id={`move-${index}`}
            aria-label={`Move ${name} up`}
            onClick={() => void moveUp()}
          />
        )}
        <Button
          label="Edit"
          class="quiet"
          id={`edit-${index}`}
          aria-label={`Edit ${name}`}
          aria-expanded={edited.value !== undefined}
          onClick={() => (edited.value = edited.value ? undefined : rule)}
        />
        <CopyButton label="Copy header" title={`Copy header of ${name}`} text={headerOf(rule)} />
        <Button label="✕" class="quiet" aria-label={`Remove ${name}`} title="Remove" onClick={() => void remove()} />
      </RuleText>
      {edited.value && (
        <RuleForm
          rule={edited.value}
          save={save}
          offer={offerOf(edited.value, listOffers())}
          action="Save"
          onCancel={finish}
        />
      )}
    </li>
  )
}

type RuleTextProps = Pick<RuleItemProps, 'rule' | 'count'> & { readonly children?: ComponentChildren }

/** The texts and the counts of a rule, with the buttons to change it. */
export function RuleText({ rule, count: { acted, left }, children }: RuleTextProps) {
  return (
    <>
      <div class="grows breaks">
        <code>
          <b>{nameRule(rule)}</b>
        </code>
        {rule.sequence !== undefined && <span class="faint"> sequence</span>}
        <p class="faint">{listConditions(rule).join(' · ')}</p>
      </div>
      <div class="number last">
        {children}
        <p>
          acted <b>{acted.toLocaleString('en')}</b>
          {left !== undefined && (left > 0 ? `, ${left.toLocaleString('en')} left` : ', used up')}
        </p>
      </div>
    </>
  )
}
