import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { useCommands } from '../../store/commands.ts'
import { tell, valueOrNotice } from '../../store/notices.ts'
import { addRule } from '../../store/rules.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { groupByFamily } from '../../ui/families.ts'

/** A form that switches on a scenario for requests like one that is shown. */
export function SwitchScenario({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { operation } = exchange
  const catalogue = useAnswer('/catalogue').value?.scenarios ?? []
  const offered = catalogue.filter(({ operations }) => operation === undefined || operations.includes(operation))
  const name = useSignal('rate-limited')
  const typed = useSignal<string | undefined>(undefined)
  const times = useSignal('1')
  const isNarrow = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const focus = () => form.current?.querySelector('select')?.focus()
  useCommands([{ title: 'Switch a scenario for requests like this one', key: 's', run: focus }], [])
  const match = findMatch(exchange)
  const chosen = offered.find((entry) => entry.name === name.value) ?? offered[0]
  const text = typed.value ?? chosen?.example ?? ''
  const choose = (other: string) => {
    name.value = other
    typed.value = undefined
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const rule = {
      ...(operation !== undefined && { operation }),
      ...(isNarrow.value && match && { match: match.conditions }),
      scenario: text,
      ...(times.value !== '' && { times: Number(times.value) }),
    }
    if (valueOrNotice(await addRule(exchange.sandbox, rule)))
      tell(`Switched on in the sandbox ${exchange.sandbox}, before its other rules.`)
  }
  return (
    <form class="message switch" ref={form} onSubmit={(event) => void submit(event)}>
      <h3>Answer requests like this one with</h3>
      <label>
        <span>Scenario</span>
        <select value={chosen?.name} onChange={(event) => choose(event.currentTarget.value)}>
          {groupByFamily(offered).map(([family, entries]) => (
            <optgroup key={family} label={family}>
              {entries.map((entry) => (
                <option key={entry.name} value={entry.name} selected={entry === chosen}>
                  {entry.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label class="parameters">
        <span>With parameters</span>
        <input
          value={text}
          title={chosen?.parameters.map(({ name: parameter, about }) => `${parameter}: ${about}`).join('\n')}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      </label>
      <label class="times">
        <span>Times</span>
        <input
          type="number"
          min="1"
          placeholder="always"
          value={times.value}
          onInput={(event) => (times.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">Switch on</button>
      {match && (
        <label class="check">
          <input
            type="checkbox"
            checked={isNarrow.value}
            onChange={(event) => (isNarrow.value = event.currentTarget.checked)}
          />
          {match.sentence}
        </label>
      )}
      {chosen && (
        <p class="faint">
          {chosen.about} {chosen.clientSees}
        </p>
      )}
    </form>
  )
}

interface NarrowMatch {
  readonly sentence: string
  readonly conditions: Schema<'Match'>
}

/** Returns the condition that tells a request from others of its operation; undefined: there is none. */
function findMatch({ request }: Schema<'Exchange'>): NarrowMatch | undefined {
  const model = /\/models\/([0-9a-f-]{36})\//i.exec(request.path)?.[1]
  if (model !== undefined) return { sentence: `only for the model ${model}`, conditions: { model } }
  const { json } = request.body
  const eventType =
    typeof json === 'object' && json !== null ? (json as Record<string, unknown>)['eventType'] : undefined
  if (typeof eventType !== 'string') return undefined
  return {
    sentence: `only for the event type ${eventType}`,
    conditions: { body: { '/eventType': eventType } },
  }
}
