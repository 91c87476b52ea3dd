import { useId } from 'preact/hooks'
import { catalogue } from '../../store/server.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { type ConditionKind, conditionKinds, hasName, type RuleCondition } from './rules.ts'

type Conditions = readonly RuleCondition[]

/** A label and an example for each kind of condition. Examples of models and products come from the catalogue. */
const captions: Readonly<Record<ConditionKind, readonly [title: string, example: string]>> = {
  model: ['model', ''],
  product: ['product', ''],
  method: ['method', 'POST'],
  path: ['path', '/v1/events'],
  traceId: ['trace ID', '4bf92f3577b34da6a3ce929d0e0e4736'],
  query: ['query parameter', 'period'],
  header: ['header', 'x-team'],
  body: ['body field', '/eventType'],
}

export function ConditionFields({ conditions, set }: { conditions: Conditions; set: (changed: Conditions) => void }) {
  const add = (kind: ConditionKind, name = '') => set([...conditions, { kind, name, value: '' }])
  const addableKinds = conditionKinds.filter((kind) => hasName(kind) || !conditions.some((one) => one.kind === kind))
  return (
    <fieldset class="conditions stack">
      <legend>Only requests with</legend>
      {conditions.map((condition, index) => (
        <ConditionRow
          key={index}
          condition={condition}
          change={(change) => set(conditions.with(index, { ...condition, ...change }))}
          remove={() => set(conditions.toSpliced(index, 1))}
        />
      ))}
      <div class="wraps">
        {addableKinds.map((kind) => (
          <AddButton key={kind} title={captions[kind][0]} onClick={() => add(kind)} />
        ))}
        <AddButton title="event type" onClick={() => add('body', '/eventType')} />
      </div>
    </fieldset>
  )
}

const AddButton = ({ title, onClick }: { title: string; onClick: () => void }) => (
  <Button label={`+ ${title}`} class="quiet" aria-label={`Add a condition: ${title}`} onClick={onClick} />
)

interface ConditionRowProps {
  readonly condition: RuleCondition
  readonly change: (change: Partial<RuleCondition>) => void
  readonly remove: () => void
}

function ConditionRow({ condition: { kind, name, value }, change, remove }: ConditionRowProps) {
  const id = useId()
  const [title, example] = captions[kind]
  const { models, products } = catalogue.value
  const suggestions = [...(kind === 'model' ? models : []), ...(kind === 'product' ? products : [])]
  const attributes = { class: 'grows', autocomplete: 'off', spellcheck: false } as const
  return (
    <div class="condition wraps">
      <span class="row-name mono">{title}</span>
      {hasName(kind) && (
        <input
          {...attributes}
          aria-label={kind === 'body' ? 'JSON Pointer into the body' : `Name of the ${title}`}
          placeholder={example}
          required={kind !== 'body'}
          value={name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      )}
      {(kind === 'query' || kind === 'header') && (
        <Select
          aria-label={`Whether the ${title} is sent`}
          value={value === null ? 'is not sent' : 'is'}
          options={['is', 'is not sent'].map((words) => [words, words])}
          choose={(chosen) => change({ value: chosen === 'is' ? '' : null })}
        />
      )}
      {value !== null && (
        <input
          {...attributes}
          aria-label={`Value of the ${title} ${name}`.trim()}
          placeholder={hasName(kind) ? '' : (suggestions[0]?.id ?? example)}
          required={!hasName(kind)}
          list={id}
          value={value}
          onInput={(event) => change({ value: event.currentTarget.value })}
        />
      )}
      <datalist id={id}>
        {suggestions.map((one) => (
          <option key={one.id} value={one.id} label={one.name} />
        ))}
      </datalist>
      <Button label="✕" class="quiet" aria-label={`Remove the condition: ${title} ${name}`} onClick={remove} />
    </div>
  )
}
