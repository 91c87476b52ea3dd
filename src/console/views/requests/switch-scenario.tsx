import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Schema } from '../../api/call.ts'
import { useCommands } from '../../store/commands.ts'
import { addRule, change, groupByFamily } from '../../store/server.ts'
import { nameOrId, objectOf } from '../../ui/text.tsx'
import { listRuleChoices, titleOf } from '../scenarios/rules.ts'

export function SwitchScenario({ exchange }: { readonly exchange: Schema<'Exchange'> }) {
  const { operation, sandbox } = exchange
  const choices = listRuleChoices().filter(
    ({ freeText, operations }) => !freeText && (operation === undefined || operations.includes(operation)),
  )
  const name = useSignal('rate-limited')
  const form = useRef<HTMLFormElement>(null)
  const focus = () => form.current?.querySelector('select')?.focus()
  useCommands([{ title: 'Switch on a scenario for requests like this one', key: 's', run: focus }], [])
  const condition = findCondition(exchange)
  const chosen = choices.find((choice) => choice.name === name.value) ?? choices[0]
  const submit = (event: Event) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget as HTMLFormElement)
    const times = Number(values.get('times'))
    const rule = {
      ...(operation !== undefined && { operation }),
      ...(values.has('condition') && condition && { match: condition.match }),
      scenario: String(values.get('text')),
      ...(times > 0 && { times }),
    }
    void change(addRule(sandbox, rule), `Switched on the scenario in the sandbox ${sandbox}, as the first rule.`)
  }
  return (
    <form class="message switch wraps" ref={form} onSubmit={submit}>
      <h3 class="full">Respond to requests like this one with</h3>
      <label>
        <span class="faint small">Scenario</span>
        <select value={chosen?.name} onChange={(event) => (name.value = event.currentTarget.value)}>
          {groupByFamily(choices).map(([family, members]) => (
            <optgroup key={family} label={family}>
              {members.map((choice) => (
                <option key={choice.name} value={choice.name} selected={choice === chosen}>
                  {titleOf(choice)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label class="grows">
        <span class="faint small">With parameters</span>
        <input key={chosen?.name} name="text" class="full" defaultValue={chosen?.example ?? ''} />
      </label>
      <label class="inline-form">
        <span class="faint small">Times</span>
        <input name="times" type="number" min="1" placeholder="always" defaultValue="1" />
      </label>
      <button type="submit">Switch on</button>
      {condition && (
        <label class="check bar full">
          <input name="condition" type="checkbox" />
          {condition.label}
        </label>
      )}
      <p class="faint full">{chosen?.about}</p>
    </form>
  )
}

function findCondition({ request: { path, body } }: Schema<'Exchange'>) {
  const model = /\/models\/([0-9a-f-]{36})\//i.exec(path)?.[1]
  if (model !== undefined) return { label: `only for the model ${nameOrId(model)}`, match: { model } }
  const { eventType } = objectOf(body.json)
  if (typeof eventType !== 'string') return undefined
  return { label: `only for the event type ${eventType}`, match: { body: { '/eventType': eventType } } }
}
