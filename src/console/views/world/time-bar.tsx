import { changeClock, clockMode, sandboxNow } from '../../store/clock.ts'
import { sandbox } from '../../store/route.ts'
import { changeSeed, info, sandboxSeed } from '../../store/server.ts'
import { Button } from '../../ui/button.tsx'
import { FieldForm, seedField } from '../../ui/field-form.tsx'
import { formatInstant } from '../../ui/time.tsx'

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
    <div class="toolbar bar">
      {mode !== undefined && (
        <>
          <span>
            <b>{formatInstant(sandboxNow.value)}</b> UTC <span class="faint">{modes[mode]}</span>
          </span>
          <Button
            label={mode === 'frozen' ? 'Let it run' : 'Freeze'}
            onClick={() => void changeClock({ mode: mode === 'frozen' ? 'shifted' : 'frozen' })}
          />
          {['1h', '1d', '7d'].map((by) => (
            <Button
              label={`+${by}`}
              key={by}
              title={`Advance the clock by ${by}`}
              onClick={() => void changeClock({ by })}
            />
          ))}
          <Button label="Back to real" disabled={mode === 'real'} onClick={() => void changeClock({ mode: 'real' })} />
          <FieldForm
            label="Day to go to, at noon"
            value={formatInstant(sandboxNow.value).slice(0, 10)}
            action="Go to noon"
            change={async (day) =>
              !!(await changeClock({ mode: mode === 'real' ? 'shifted' : mode, now: `${day}T12:00:00Z` }))
            }
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
