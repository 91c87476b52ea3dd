import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { AnswerOf } from '../../api/answers.ts'
import { Refusal } from './fields.tsx'
import { conditionKey, type RuleRefusals } from './rule-refusals.ts'
import { isNamed, type Place, places, type RuleCondition } from './rule-values.ts'

/** Properties of `Conditions`. */
export interface ConditionsProps {
  readonly conditions: readonly RuleCondition[]
  readonly setConditions: (conditions: readonly RuleCondition[]) => void
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
  /** The id of the chosen operation; undefined: all. */
  readonly operation: string | undefined
  readonly refusals: RuleRefusals
}

/** The fields that say which requests of the operation a rule acts on. */
export function Conditions({ conditions, setConditions, catalogue, operation, refusals }: ConditionsProps) {
  const added = useRef<number | undefined>(undefined)
  const add = (place: Place, name = '') => {
    added.current = conditions.length
    setConditions([...conditions, { place, name, value: '', isAbsent: false }])
  }
  const isOffered = (place: Place) => isNamed(place) || !conditions.some((one) => one.place === place)
  return (
    <fieldset class="conditions">
      <legend>Only requests with</legend>
      {conditions.map((condition, index) => (
        <ConditionRow
          key={index}
          condition={condition}
          catalogue={catalogue}
          change={(change) => setConditions(conditions.map((one, at) => (at === index ? { ...one, ...change } : one)))}
          remove={() => setConditions(conditions.filter((_, at) => at !== index))}
          problem={refusals[conditionKey(index)]}
          takesFocus={index === added.current}
        />
      ))}
      <div class="buttons">
        {places.filter(isOffered).map((place) => (
          <AddButton key={place} title={titles[place]} onClick={() => add(place)} />
        ))}
        {(operation ?? 'createEvent') === 'createEvent' && (
          <AddButton title="event type" onClick={() => add('body', '/eventType')} />
        )}
      </div>
    </fieldset>
  )
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

const nameExamples = { query: 'period', header: 'x-team', body: '/eventType' } as const

const valueExamples: Partial<Record<Place, string>> = {
  method: 'POST',
  path: '/v1/events',
  body: 'purchase, 12 or {"a":1}',
}

function AddButton({ title, onClick }: { readonly title: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="quiet" aria-label={`Add a condition: ${title}`} onClick={onClick}>
      + {title}
    </button>
  )
}

interface ConditionRowProps {
  readonly condition: RuleCondition
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
  readonly change: (change: Partial<RuleCondition>) => void
  readonly remove: () => void
  readonly problem: string | undefined
  /** True: the first empty field gets the focus when the row appears. */
  readonly takesFocus: boolean
}

function ConditionRow({ condition, catalogue, change, remove, problem, takesFocus }: ConditionRowProps) {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (takesFocus) element.current?.querySelector<HTMLElement>('input:placeholder-shown')?.focus()
  }, [])
  const { place, name, value, isAbsent } = condition
  const title = titles[place]
  const known = place === 'model' ? catalogue.models : place === 'product' ? catalogue.products : []
  const shared = {
    autocomplete: 'off',
    spellcheck: false,
    ...(problem && { 'aria-invalid': true, 'aria-describedby': id }),
  } as const
  return (
    <div ref={element} class="condition">
      <span class="condition-place">{title}</span>
      {isNamed(place) && (
        <input
          {...shared}
          aria-label={place === 'body' ? 'Pointer into the body' : `Name of the ${title}`}
          placeholder={nameExamples[place]}
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
          type="text"
          aria-label={isNamed(place) ? `Value of the ${title} ${name}` : `Value of the ${title}`}
          placeholder={known[0]?.id ?? valueExamples[place] ?? ''}
          required={!isNamed(place)}
          list={`${id}-known`}
          value={value}
          onInput={(event) => change({ value: event.currentTarget.value })}
        />
      )}
      <datalist id={`${id}-known`}>
        {known.map((one) => (
          <option key={one.id} value={one.id} label={one.name} />
        ))}
      </datalist>
      <button type="button" class="quiet" aria-label={`Remove the condition: ${title} ${name}`} onClick={remove}>
        ✕
      </button>
      <Refusal id={id} text={problem} />
    </div>
  )
}
