import { useId } from 'preact/hooks'
import { catalogue } from '../../store/catalogue.ts'
import { Button } from '../../ui/button.tsx'
import { isNamed, type Place, places, type RuleCondition } from './rules.ts'

interface ConditionsProps {
  readonly conditions: readonly RuleCondition[]
  readonly setConditions: (conditions: readonly RuleCondition[]) => void
}

const titles = {
  model: 'model',
  product: 'product',
  method: 'method',
  path: 'path',
  query: 'query parameter',
  header: 'header',
  body: 'body field',
} as const satisfies Record<Place, string>

const examples: Record<Place, string> = {
  model: '',
  product: '',
  method: 'POST',
  path: '/v1/events',
  query: 'period',
  header: 'x-team',
  body: '/eventType',
}

/** The fields that say which requests of the operation a rule acts on. */
export function Conditions({ conditions, setConditions }: ConditionsProps) {
  const add = (place: Place, name = '') => setConditions([...conditions, { place, name, value: '', isAbsent: false }])
  const offered = places.filter((place) => isNamed(place) || !conditions.some((one) => one.place === place))
  return (
    <fieldset class="conditions stack">
      <legend>Only requests with</legend>
      {conditions.map((condition, index) => (
        <ConditionRow
          key={index}
          condition={condition}
          change={(change) => setConditions(conditions.map((one, at) => (at === index ? { ...one, ...change } : one)))}
          remove={() => setConditions(conditions.filter((_, at) => at !== index))}
        />
      ))}
      <div class="wraps">
        {offered.map((place) => (
          <AddButton key={place} title={titles[place]} onClick={() => add(place)} />
        ))}
        <AddButton title="event type" onClick={() => add('body', '/eventType')} />
      </div>
    </fieldset>
  )
}

function AddButton({ title, onClick }: { readonly title: string; readonly onClick: () => void }) {
  return <Button label={`+ ${title}`} class="quiet" aria-label={`Add a condition: ${title}`} onClick={onClick} />
}

interface ConditionRowProps {
  readonly condition: RuleCondition
  readonly change: (change: Partial<RuleCondition>) => void
  readonly remove: () => void
}

function ConditionRow({ condition: { place, name, value, isAbsent }, change, remove }: ConditionRowProps) {
  const id = useId()
  const title = titles[place]
  const isOwnName = isNamed(place)
  const { models = [], products = [] } = catalogue.value ?? {}
  const known = place === 'model' ? models : place === 'product' ? products : []
  const shared = { class: 'grows', autocomplete: 'off', spellcheck: false } as const
  return (
    <div class="condition wraps">
      <span class="row-name mono">{title}</span>
      {isOwnName && (
        <input
          {...shared}
          aria-label={place === 'body' ? 'Pointer into the body' : `Name of the ${title}`}
          placeholder={examples[place]}
          required={place !== 'body'}
          value={name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      )}
      {(place === 'query' || place === 'header') && (
        <select
          aria-label={`Is the ${title} sent`}
          value={isAbsent ? 'absent' : 'is'}
          onChange={(event) => change({ isAbsent: event.currentTarget.value === 'absent' })}
        >
          <option value="is">is</option>
          <option value="absent">is not sent</option>
        </select>
      )}
      {!isAbsent && (
        <input
          {...shared}
          aria-label={`Value of the ${title} ${name}`.trim()}
          placeholder={isOwnName ? '' : (known[0]?.id ?? examples[place])}
          required={!isOwnName}
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
