import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Asked, Schema } from '../../api/ask.ts'
import { Button, CopyButton, Select } from '../../ui/controls.tsx'
import { Pairs } from '../../ui/table.tsx'
import { ConditionFields } from './conditions.tsx'
import { headerOf, type Offer, readConditions, readTexts, toRule } from './rules.ts'

interface RuleFormProps {
  readonly offer: Offer
  readonly rule: Schema<'Rule'>
  readonly save: (rule: Schema<'Rule'>) => Promise<Asked<unknown>>
  readonly action: string
  /** Called when the user cancels the form. Without it, the form has no cancel button. */
  readonly onCancel?: () => void
}

/** A field of the form: a text field unless it has a type or choices. */
type Parameter = Partial<Offer['parameters'][number]> & { readonly name: string; readonly about: string }

export function RuleForm({ offer, rule: before, save, action, onCancel }: RuleFormProps) {
  const texts = useSignal(readTexts(before))
  const conditions = useSignal(readConditions(before))
  const refusal = useSignal<string | undefined>(undefined)
  const rule = toRule(offer, texts.value, conditions.value)
  const submit = async (event: Event) => {
    event.preventDefault()
    refusal.value = (await save(rule)).problem?.sentence
  }
  const fieldOf = (parameter: Parameter, name = parameter.name) => (
    <Field
      key={name}
      parameter={parameter}
      value={texts.value[name] ?? ''}
      set={(value) => (texts.value = { ...texts.peek(), [name]: value })}
    />
  )
  const operations = new Set(['', ...offer.operations, texts.value['operation'] ?? ''])
  return (
    <form class="rule-form stack" onSubmit={submit}>
      {offer.clientSees && <h4>The client sees</h4>}
      {offer.clientSees && <Pairs rows={readClientView(offer.clientSees)} />}
      {offer.undocumented && <p class="warn breaks">Not documented by {offer.undocumented.join(', ')}</p>}
      {offer.freeText && fieldOf({ ...writtenText, name: offer.name }, 'text')}
      {offer.parameters.map((parameter) => fieldOf(parameter, `parameter ${parameter.name}`))}
      {fieldOf({ ...operationField, of: [...operations] })}
      <ConditionFields conditions={conditions.value} set={(changed) => (conditions.value = changed)} />
      {fieldOf(timesField)}
      {fieldOf(probabilityField)}
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

/** Splits `Status 429, Retry-After: 1, body {}` into the status, the headers and the body, each with its name. */
function readClientView(text: string) {
  const [, head = text, body] = /^(.*?), body (.*)$/s.exec(text) ?? []
  const parts = head.split(/, (?=[\w-]+: )/).map((part) => part.split(/: (.*)/s))
  return body === undefined ? parts : [...parts, ['body', body]]
}

const writtenText = { required: true, about: 'As in the header, with commas between the items.' }

const operationField = { name: 'operation', default: 'all', about: 'The requests that it acts on.' }

const timesField = {
  name: 'times',
  type: 'integer',
  default: 'always',
  minimum: 0,
  about: 'The number of requests that it acts on.',
} as const

const probabilityField = {
  name: 'probability',
  type: 'number',
  default: 1,
  minimum: 0,
  maximum: 1,
  about: 'From 0 to 1. If the rule does not act, the next rule is tried.',
} as const

function Field({ parameter, value, set }: { parameter: Parameter; value: string; set: (value: string) => void }) {
  const { name, about, unit, type, required, minimum: min, maximum: max, of: choices, words } = parameter
  const id = useId()
  const placeholder = String(parameter.default ?? parameter.example ?? '')
  const isNumber = !words && (type === 'integer' || type === 'number') // `retry-after` can also be a date
  const limits = isNumber && ({ type: 'number', step: type === 'integer' ? 1 : 'any', min, max } as const)
  return (
    <div class="rule-field wraps">
      <label for={id} class="row-name mono">
        {name}
        {unit !== undefined && <span class="faint"> ({unit})</span>}
      </label>
      {choices ? (
        <Select
          id={id}
          value={value || (choices.includes('') ? '' : placeholder)}
          options={choices.map((one) => [one, one || placeholder])}
          choose={set}
        />
      ) : (
        <input
          autocomplete="off"
          {...{ id, placeholder, value, required, ...limits }}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      <span class="faint grows">{about}</span>
    </div>
  )
}
