import { useSignal } from '@preact/signals'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { tell } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { addRule } from '../../store/rules.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatScenario, headerOf } from './describe-rule.ts'
import { ChoiceField, ParameterField, TextField } from './fields.tsx'
import { type Offer, operationsOf } from './offer.ts'

/** Properties of `RuleForm`. */
export interface RuleFormProps {
  readonly offer: Offer
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
  /** Called after the rule was added. */
  readonly onAdded: () => void
}

/** A form that adds a rule for a scenario, and the header that does the same for one request. */
export function RuleForm({ offer, catalogue, onAdded }: RuleFormProps) {
  const values = useSignal<Readonly<Record<string, string>>>({ text: offer.example })
  const problem = useSignal<string | undefined>(undefined)
  const read = (name: string) => values.value[name] ?? ''
  const set = (name: string) => (value: string) => {
    // A narrower condition belongs to the operation that was chosen before.
    const others = name === 'operation' ? { ...values.value, model: '', eventType: '' } : values.value
    values.value = { ...others, [name]: value }
  }
  const rule = toRule(offer, operationsOf(offer, catalogue), values.value)
  const submit = async (event: Event) => {
    event.preventDefault()
    const added = await addRule(sandbox.peek(), rule)
    problem.value = added.ok ? undefined : added.problem.sentence
    if (!added.ok) return
    tell('Switched on, before the other rules.')
    onAdded()
  }
  return (
    <form class="rule-form" onSubmit={(event) => void submit(event)}>
      {offer.clientSees && <p class="faint breaks">The client sees: {offer.clientSees}</p>}
      {offer.freeText && (
        <TextField
          caption={offer.name}
          about="As in the header, with commas between the items."
          required
          value={read('text')}
          set={set('text')}
        />
      )}
      {offer.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={read(parameterKey(parameter.name))}
          set={set(parameterKey(parameter.name))}
        />
      ))}
      <Conditions {...{ offer, catalogue, read, set }} />
      <p class="rule-submit">
        <button type="submit" class="primary">
          Switch on
        </button>
        <span class="header-line">
          <code class="breaks">{headerOf(rule)}</code>
          <CopyButton label="Copy" title="Copy the header" text={headerOf(rule)} />
        </span>
      </p>
      {problem.value !== undefined && (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  )
}

/** Parameters stand apart from the other fields of the form, which may have the same names. */
const parameterKey = (name: string) => `parameter ${name}`

/** Returns the rule that the fields of the form describe. `ids`: the operations to choose from. */
function toRule(
  offer: Offer,
  ids: readonly string[],
  values: Readonly<Record<string, string>>,
): Schema<'Rule'> {
  const { times, model, eventType } = values
  const operation = ids.length > 1 ? values['operation'] : ids[0]
  const parameters = offer.parameters.map(({ name }) => [name, values[parameterKey(name)] ?? ''] as const)
  const text = offer.freeText ? (values['text'] ?? '') : formatScenario(offer.name, parameters)
  const match = {
    ...(model && { model }),
    ...(eventType && { body: { '/eventType': eventType } }),
  }
  return {
    ...(operation && { operation }),
    ...(Object.keys(match).length > 0 && { match }),
    [offer.freeText ?? 'scenario']: text,
    ...(times && { times: Number(times) }),
  }
}

interface ConditionsProps {
  readonly offer: Offer
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
  readonly read: (name: string) => string
  readonly set: (name: string) => (value: string) => void
}

/** The fields that say which requests the rule acts on. */
function Conditions({ offer, catalogue, read, set }: ConditionsProps) {
  const ids = operationsOf(offer, catalogue)
  const all = ids.length > 1 ? [['', 'all'] as const] : []
  const chosen = catalogue.operations.find(({ id }) => id === (ids.length > 1 ? read('operation') : ids[0]))
  return (
    <>
      <ChoiceField
        caption="operation"
        about="The requests that it acts on."
        value={read('operation')}
        set={set('operation')}
        options={[...all, ...ids.map((id) => [id, id] as const)]}
      />
      {chosen?.path.includes('{modelId}') && (
        <ChoiceField
          caption="model"
          about="Only for this model."
          value={read('model')}
          set={set('model')}
          options={[['', 'all'], ...catalogue.models.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      {chosen?.id === 'createEvent' && (
        <TextField
          caption="event type"
          about="Only for events with this eventType."
          placeholder="all"
          value={read('eventType')}
          set={set('eventType')}
        />
      )}
      <TextField
        caption="times"
        about="The number of requests that it acts on."
        type="number"
        min={1}
        placeholder="always"
        value={read('times')}
        set={set('times')}
      />
    </>
  )
}
