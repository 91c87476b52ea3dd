import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ApiResult, Schema } from '../../api/call.ts'
import { Button, CopyButton, Select } from '../../ui/controls.tsx'
import { Pairs } from '../../ui/table.tsx'
import { ConditionFields } from './conditions.tsx'
import { headerOf, type RuleChoice, toConditions, toRule, toTexts } from './rules.ts'

interface RuleFormProps {
  readonly choice: RuleChoice
  readonly rule: Schema<'Rule'>
  readonly save: (rule: Schema<'Rule'>) => Promise<ApiResult<unknown>>
  readonly action: string
  /** Called when the user cancels the form. If it is omitted, the form has no cancel button. */
  readonly onCancel?: () => void
}

/** Describes a form field. The field sets a parameter of the scenario, or a member of the rule such as `times`. */
type Parameter = Partial<RuleChoice['parameters'][number]> & { readonly name: string; readonly about: string }

export function RuleForm({ choice, rule: initial, save, action, onCancel }: RuleFormProps) {
  const texts = useSignal(toTexts(initial))
  const conditions = useSignal(toConditions(initial))
  const problem = useSignal<string | undefined>(undefined)
  const rule = toRule(choice, texts.value, conditions.value)
  const submit = async (event: Event) => {
    event.preventDefault()
    problem.value = (await save(rule)).problem?.sentence
  }
  const fieldOf = (parameter: Parameter, name = parameter.name) => (
    <Field
      key={name}
      parameter={parameter}
      value={texts.value[name] ?? ''}
      set={(value) => (texts.value = { ...texts.peek(), [name]: value })}
    />
  )
  const operations = new Set(['', ...choice.operations, texts.value['operation'] ?? ''])
  return (
    <form class="rule-form stack" onSubmit={submit}>
      {choice.clientSees && <h4>The client sees</h4>}
      {choice.clientSees && <Pairs rows={splitClientView(choice.clientSees)} />}
      {choice.undocumented && <p class="warn breaks">Status not documented for {choice.undocumented.join(', ')}</p>}
      {choice.freeText && fieldOf({ ...freeTextField, name: choice.name }, 'text')}
      {choice.parameters.map((parameter) => fieldOf(parameter, `parameter ${parameter.name}`))}
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
      {problem.value !== undefined && (
        <p class="bad breaks" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  )
}

/** Splits `Status 429, Retry-After: 1, body {}` into rows: the status, each header and the body. */
function splitClientView(text: string) {
  const [, head = text, body] = /^(.*?), body (.*)$/s.exec(text) ?? []
  const parts = head.split(/, (?=[\w-]+: )/).map((part) => part.split(/: (.*)/s))
  return body === undefined ? parts : [...parts, ['body', body]]
}

const freeTextField = { required: true, about: 'The value of the header, with items separated by commas.' }

const operationField = { name: 'operation', default: 'all', about: 'The operation that the rule applies to.' }

const timesField = {
  name: 'times',
  type: 'integer',
  default: 'always',
  minimum: 0,
  about: 'The maximum number of requests that the rule applies to.',
} as const

const probabilityField = {
  name: 'probability',
  type: 'number',
  default: 1,
  minimum: 0,
  maximum: 1,
  about: 'The probability (0 to 1) that the rule applies. If it does not apply, the next rule is tried.',
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
