import { useSignal } from '@preact/signals'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import type { Asked } from '../../api/ask.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Conditions } from './conditions.tsx'
import { headerOf } from './describe-rule.ts'
import { ChoiceField, ParameterField, Refusal, TextField } from './fields.tsx'
import { type Offer, operationsOf } from './offer.ts'
import { type RuleRefusals, refuseDoubles, splitRefusal } from './rule-refusals.ts'
import { parameterKey, type RuleValues, readRule, toRule } from './rule-values.ts'

/** Properties of `RuleForm`. */
export interface RuleFormProps {
  readonly offer: Offer
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
  /** The rule that the form shows at first. */
  readonly rule: Schema<'Rule'>
  /** The index that the rule has in the list when it is saved. */
  readonly index: number
  readonly save: (rule: Schema<'Rule'>) => Promise<Asked<unknown>>
  /** The words on the button that saves. */
  readonly action: string
  /** Called when the user leaves the form without saving. Absent: there is no button for it. */
  readonly onCancel?: () => void
}

/** A form for a rule, and the header that does the same for one request. */
export function RuleForm({ offer, catalogue, rule: before, index, save, action, onCancel }: RuleFormProps) {
  const values = useSignal<RuleValues>(readRule(before))
  const refusals = useSignal<RuleRefusals>({})
  const { texts, conditions } = values.value
  const field = (name: string) => ({
    value: texts[name] ?? '',
    set: (value: string) => {
      values.value = { ...values.peek(), texts: { ...values.peek().texts, [name]: value } }
    },
    problem: refusals.value[name],
  })
  const rule = toRule(before, offer, values.value)
  const submit = async (event: Event) => {
    event.preventDefault()
    refusals.value = refuseDoubles(conditions)
    if (Object.keys(refusals.value).length > 0) return
    const saved = await save(rule)
    if (!saved.ok) refusals.value = splitRefusal(saved.problem.sentence, { offer, conditions, index })
  }
  const ids = operationsOf(offer, catalogue)
  const { operation = '' } = texts
  const choices = [...new Set(['', ...ids, operation])]
  return (
    <form class="rule-form" onSubmit={(event) => void submit(event)}>
      {offer.clientSees && <p class="faint breaks">The client sees: {offer.clientSees}</p>}
      {offer.freeText && (
        <TextField
          {...field('text')}
          caption={offer.name}
          about="As in the header, with commas between the items."
          required
        />
      )}
      {offer.parameters.map((parameter) => (
        <ParameterField key={parameter.name} parameter={parameter} {...field(parameterKey(parameter.name))} />
      ))}
      <ChoiceField
        {...field('operation')}
        caption="operation"
        about="The requests that it acts on."
        options={choices.map((id) => [id, id || 'all'] as const)}
      />
      <Conditions
        {...{ conditions, catalogue, operation: operation || undefined, refusals: refusals.value }}
        setConditions={(changed) => {
          values.value = { ...values.peek(), conditions: changed }
          refusals.value = {}
        }}
      />
      <TextField
        {...field('times')}
        caption="times"
        about="The number of requests that it acts on."
        type="number"
        min={0}
        placeholder="always"
      />
      <TextField
        {...field('probability')}
        caption="probability"
        about="From 0 to 1. If the rule does not act, the next rule is tried."
        type="number"
        isInteger={false}
        min={0}
        max={1}
        placeholder="1"
      />
      <p class="rule-submit">
        <button type="submit" class="primary">
          {action}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <span class="header-line">
          <code class="breaks">{headerOf(rule)}</code>
          <CopyButton label="Copy" title="Copy the header" text={headerOf(rule)} />
        </span>
      </p>
      <Refusal text={refusals.value['']} />
    </form>
  )
}
