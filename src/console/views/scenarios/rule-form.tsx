import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Asked, Schema } from '../../api/ask.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Conditions } from './conditions.tsx'
import { headerOf, type Offer, operationsOf, type RuleValues, readRule, toRule } from './rules.ts'

interface RuleFormProps {
  readonly offer: Offer
  /** The rule that the form shows at first. */
  readonly rule: Schema<'Rule'>
  readonly save: (rule: Schema<'Rule'>) => Promise<Asked<unknown>>
  /** The words on the button that saves. */
  readonly action: string
  /** Called when the user leaves the form without saving. Absent: there is no button for it. */
  readonly onCancel?: () => void
}

/** A form for a rule, and the header that does the same for one request. */
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
    const saved = await save(rule)
    refusal.value = saved.ok ? undefined : saved.problem.sentence
  }
  const operations = ['', ...operationsOf(offer), texts['operation'] ?? '']
  return (
    <form class="rule-form stack" onSubmit={(event) => void submit(event)}>
      {offer.clientSees && <p class="faint breaks">The client sees: {offer.clientSees}</p>}
      {offer.freeText && (
        <Field
          {...field('text')}
          caption={offer.name}
          about="As in the header, with commas between the items."
          required
        />
      )}
      {offer.parameters.map(({ name, type, default: standard, unit, about, of: choices, ...limits }) => (
        <Field
          key={name}
          {...field(`parameter ${name}`)}
          {...{ caption: name, about, unit, choices }}
          number={type === 'integer' ? 1 : type === 'number' ? 'any' : undefined}
          min={limits.minimum}
          max={limits.maximum}
          required={limits.required}
          placeholder={String(standard ?? limits.example ?? '')}
        />
      ))}
      <Field
        {...field('operation')}
        caption="operation"
        about="The requests that it acts on."
        choices={[...new Set(operations)]}
        placeholder="all"
      />
      <Conditions
        conditions={conditions}
        setConditions={(changed) => (values.value = { ...values.peek(), conditions: changed })}
      />
      <Field
        {...field('times')}
        caption="times"
        about="The number of requests that it acts on."
        number={1}
        min={0}
        placeholder="always"
      />
      <Field
        {...field('probability')}
        caption="probability"
        about="From 0 to 1. If the rule does not act, the next rule is tried."
        number="any"
        min={0}
        max={1}
        placeholder="1"
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

interface FieldProps {
  readonly caption: string
  /** A sentence beside the control. */
  readonly about: string
  /** `ms` */
  readonly unit?: string | undefined
  readonly value: string
  readonly set: (value: string) => void
  /** The step of a field for a number; undefined: the field is for a text. */
  readonly number?: number | 'any' | undefined
  /** The values to choose from; undefined: the user writes the value. */
  readonly choices?: readonly string[] | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly required?: boolean | undefined
  /** The value that an empty field stands for. */
  readonly placeholder?: string
}

/** A row of a form: name, control, and a sentence about it. */
function Field({ caption, about, unit, value, set, number, choices, placeholder = '', ...limits }: FieldProps) {
  const id = useId()
  return (
    <div class="rule-field wraps">
      <label for={id} class="row-name mono">
        {caption}
        {unit !== undefined && <span class="faint"> ({unit})</span>}
      </label>
      {choices ? (
        <select
          id={id}
          value={value || (choices.includes('') ? '' : placeholder)}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {choices.map((one) => (
            <option key={one} value={one}>
              {one || placeholder}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          // A number has other attributes than a text for the types of Preact, not for browsers.
          type={(number === undefined ? 'text' : 'number') as 'number'}
          {...(number !== undefined && { step: number, ...(limits as { min: number; max: number }) })}
          required={limits.required ?? false}
          placeholder={placeholder}
          autocomplete="off"
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      <span class="faint grows">{about}</span>
    </div>
  )
}
