import { type Asked, ask } from '../../api/ask.ts'
import { clockMode, refreshClock, sandboxNow } from '../../store/clock.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { changeSeed, info, sandboxSeed } from '../../store/server.ts'
import { Button } from '../../ui/button.tsx'
import { FieldForm, seedField } from '../../ui/field-form.tsx'
import { formatInstant } from '../../ui/time.tsx'

/** Shows the new clock after a change, or the problem. */
async function showClock(asked: Asked<unknown>): Promise<boolean> {
  if (valueOrNotice(asked) === undefined) return false
  await refreshClock()
  return true
}

const setClock = async (body: { mode: 'real' | 'frozen' | 'shifted'; now?: string }) =>
  showClock(await ask('put', '/clock', { query: { sandbox: sandbox.value }, body }))

const advance = async (by: string) =>
  showClock(await ask('post', '/clock/advance', { query: { sandbox: sandbox.value }, body: { by } }))

const modes = {
  real: 'the time of the machine',
  frozen: 'stands still',
  shifted: 'runs, but not with the machine',
} as const

/** The clock and the seed of the sandbox, from which all figures are made. */
export function TimeBar() {
  const mode = clockMode.value
  const seed = sandboxSeed.value ?? ''
  const first = info.value?.seed ?? seed
  const change = (changed: string) => changeSeed(sandbox.peek(), changed)
  return (
    <div class="toolbar">
      {mode !== undefined && (
        <>
          <span>
            <b>{formatInstant(sandboxNow.value)}</b> UTC <span class="faint">{modes[mode]}</span>
          </span>
          <Button
            label={mode === 'frozen' ? 'Let it run' : 'Freeze'}
            onClick={() => void setClock({ mode: mode === 'frozen' ? 'shifted' : 'frozen' })}
          />
          {['1h', '1d', '7d'].map((by) => (
            <Button label={`+${by}`} key={by} title={`Advance the clock by ${by}`} onClick={() => void advance(by)} />
          ))}
          <Button label="Back to real" disabled={mode === 'real'} onClick={() => void setClock({ mode: 'real' })} />
          <FieldForm
            label="Day to go to, at noon"
            value={formatInstant(sandboxNow.value).slice(0, 10)}
            action="Go to noon"
            change={(day) => setClock({ mode: mode === 'real' ? 'shifted' : mode, now: `${day}T12:00:00Z` })}
            field={{ type: 'date', min: '1900-01-01', max: '9999-12-31', required: true }}
          />
        </>
      )}
      <span class="last">Seed</span>
      <FieldForm label="Seed" value={seed} action="Set" change={change} field={seedField} />
      {seed !== first && <Button label={`Back to ${first}`} class="quiet" onClick={() => void change(first)} />}
    </div>
  )
}
