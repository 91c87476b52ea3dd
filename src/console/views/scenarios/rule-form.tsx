import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Asked, Schema } from '../../api/ask.ts'
import { Button, CopyButton, Select } from '../../ui/controls.tsx'
import { ConditionFields } from './conditions.tsx'
import { headerOf, type Offer, operationsOf, type RuleValues, readRule, toRule } from './rules.ts'

interface RuleFormProps {
  readonly offer: Offer
  readonly rule: Schema<'Rule'>
  readonly save: (rule: Schema<'Rule'>) => Promise<Asked<unknown>>
  readonly action: string
  /** Called when the user leaves the form without saving. Absent: there is no button for it. */
  readonly onCancel?: () => void
}

export function RuleForm({ offer, rule: before, save, action, onCancel }: RuleFormProps) {
  const values = useSignal<RuleValues>(readRule(before))
  const refusal = useSignal<string | undefined>(undefined)
  const { texts, conditions } = values.value
  const field = (name: string) => ({
    value: texts[name] ?? '',
    set: (value: string) => {
      values.value = { ...values.peek(), texts: { ...values.peek().texts, [name]: value } }
    },
  })
  const rule = toRule(before, offer, values.value)
  const submit = async (event: Event) => {
    event.preventDefault()
    refusal.value = (await save(rule)).problem?.sentence
  }
  const operations = ['', ...operationsOf(offer), texts['operation'] ?? '']
  return (
    <form class="rule-form stack" onSubmit={submit}>
      {offer.clientSees && <p class="faint breaks">The client sees: {offer.clientSees}</p>}
      {offer.freeText && (
        <Field
          {...field('text')}
          caption={offer.name}
          about="As in the header, with commas between the items."
          input={{ required: true }}
        />
      )}
      {offer.parameters.map((parameter) => (
        <Field
          key={parameter.name}
          {...field(`parameter ${parameter.name}`)}
          caption={parameter.name}
          unit={parameter.unit}
          about={parameter.about}
          choices={parameter.of}
          placeholder={String(parameter.default ?? parameter.example ?? '')}
          input={attributesOf(parameter)}
        />
      ))}
      <Field
        {...field('operation')}
        caption="operation"
        about="The requests that it acts on."
        choices={[...new Set(operations)]}
        placeholder="all"
      />
      <ConditionFields
        conditions={conditions}
        set={(changed) => (values.value = { ...values.peek(), conditions: changed })}
      />
      <Field
        {...field('times')}
        caption="times"
        about="The number of requests that it acts on."
        placeholder="always"
        input={{ type: 'number', step: 1, min: 0 }}
      />
      <Field
        {...field('probability')}
        caption="probability"
        about="From 0 to 1. If the rule does not act, the next rule is tried."
        placeholder="1"
        input={{ type: 'number', step: 'any', min: 0, max: 1 }}
      />
      <p class="wraps">
        <button type="submit" class="primary">
          {action}
        </button>
        {onCancel && <Button label="Cancel" onClick={onCancel} />}
        <code class="breaks">{headerOf(rule)}</code>
        <CopyButton label="Copy" title="Copy the header" text={headerOf(rule)} />
      </p>
      {refusal.value !== undefined && (
        <p class="bad breaks" role="alert">
          {refusal.value}
        </p>
      )}
    </form>
  )
}

type InputAttributes = JSX.IntrinsicElements['input']

function attributesOf({ type, minimum: min, maximum: max, required = false }: Offer['parameters'][number]) {
  const step = type === 'integer' ? 1 : 'any'
  const isNumber = type === 'integer' || type === 'number'
  return (isNumber ? { type: 'number', step, min, max, required } : { required }) as InputAttributes
}

interface FieldProps {
  readonly caption: string
  readonly about: string
  readonly unit?: string | undefined
  readonly value: string
  readonly set: (value: string) => void
  readonly placeholder?: string
  /** The values to choose from; undefined: the user writes the value. */
  readonly choices?: readonly string[] | undefined
  readonly input?: InputAttributes
}

function Field({ caption, about, unit, value, set, placeholder = '', choices, input }: FieldProps) {
  const id = useId()
  return (
    <div class="rule-field wraps">
      <label for={id} class="row-name mono">
        {caption}
        {unit !== undefined && <span class="faint"> ({unit})</span>}
      </label>
      {choices ? (
        <Select
          id={id}
          value={value || (choices.includes('') ? '' : placeholder)}
          options={choices.map((one) => [one, one || placeholder] as const)}
          choose={set}
        />
      ) : (
        <input
          autocomplete="off"
          {...input}
          {...{ id, placeholder, value }}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      <span class="faint grows">{about}</span>
    </div>
  )
}
