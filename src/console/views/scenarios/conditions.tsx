import { useId } from 'preact/hooks'
import { catalogue } from '../../store/server.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { isNamed, type Place, places, type RuleCondition } from './rules.ts'

type Conditions = readonly RuleCondition[]

/** The label of a condition, and an example of its value or of the name of its member. */
const captions: Readonly<Record<Place, readonly [title: string, example: string]>> = {
  model: ['model', ''],
  product: ['product', ''],
  method: ['method', 'POST'],
  path: ['path', '/v1/events'],
  traceId: ['trace id', '4bf92f3577b34da6a3ce929d0e0e4736'],
  query: ['query parameter', 'period'],
  header: ['header', 'x-team'],
  body: ['body field', '/eventType'],
}

export function ConditionFields({ conditions, set }: { conditions: Conditions; set: (changed: Conditions) => void }) {
  const add = (place: Place, name = '') => set([...conditions, { place, name, value: '' }])
  const offered = places.filter((place) => isNamed(place) || !conditions.some((one) => one.place === place))
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
        {offered.map((place) => (
          <AddButton key={place} title={captions[place][0]} onClick={() => add(place)} />
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

function ConditionRow({ condition: { place, name, value }, change, remove }: ConditionRowProps) {
  const id = useId()
  const [title, example] = captions[place]
  const { models, products } = catalogue.value
  const known = [...(place === 'model' ? models : []), ...(place === 'product' ? products : [])]
  const shared = { class: 'grows', autocomplete: 'off', spellcheck: false } as const
  return (
    <div class="condition wraps">
      <span class="row-name mono">{title}</span>
      {isNamed(place) && (
        <input
          {...shared}
          aria-label={place === 'body' ? 'Pointer into the body' : `Name of the ${title}`}
          placeholder={example}
          required={place !== 'body'}
          value={name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      )}
      {(place === 'query' || place === 'header') && (
        <Select
          aria-label={`Is the ${title} sent`}
          value={value === null ? 'is not sent' : 'is'}
          options={['is', 'is not sent'].map((words) => [words, words])}
          choose={(chosen) => change({ value: chosen === 'is' ? '' : null })}
        />
      )}
      {value !== null && (
        <input
          {...shared}
          aria-label={`Value of the ${title} ${name}`.trim()}
          placeholder={isNamed(place) ? '' : (known[0]?.id ?? example)}
          required={!isNamed(place)}
          list={id}
          value={value}
          onInput={(event) => change({ value: event.currentTarget.value })}
        />
      )}
      <datalist id={id}>
        {known.map((one) => (
          <option key={one.id} value={one.id} label={one.name} />
        ))}
      </datalist>
      <Button label="✕" class="quiet" aria-label={`Remove the condition: ${title} ${name}`} onClick={remove} />
    </div>
  )
}
