import { useSignal } from '@preact/signals'
import { type Asked, ask } from '../../api/ask.ts'
import { clockMode, refreshClock, sandboxNow } from '../../store/clock.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { changeSeed, info, sandboxSeed } from '../../store/server.ts'
import { SeedForm } from '../../ui/seed-form.tsx'
import { formatInstant } from '../../ui/time.tsx'

/** The clock and the seed of the sandbox, from which all figures are made. */
export function TimeBar() {
  return (
    <div class="time-bar">
      <ClockControls />
      <WorldSeed />
    </div>
  )
}

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

function ClockControls() {
  const mode = clockMode.value
  if (mode === undefined) return <div class="clock-controls" />
  return (
    <fieldset class="clock-controls">
      <legend class="hidden">Clock</legend>
      <span class="now">
        <b>{formatInstant(sandboxNow.value)}</b> UTC <span class="faint">{modes[mode]}</span>
      </span>
      <span class="buttons">
        <button type="button" onClick={() => void setClock({ mode: mode === 'frozen' ? 'shifted' : 'frozen' })}>
          {mode === 'frozen' ? 'Let it run' : 'Freeze'}
        </button>
        {['1h', '1d', '7d'].map((by) => (
          <button key={by} type="button" title={`Advance the clock by ${by}`} onClick={() => void advance(by)}>
            +{by}
          </button>
        ))}
        <button type="button" disabled={mode === 'real'} onClick={() => void setClock({ mode: 'real' })}>
          Back to real
        </button>
      </span>
      <DayForm mode={mode === 'real' ? 'shifted' : mode} />
    </fieldset>
  )
}

/** Sets the clock to a day with a button: a browser reports each key in a date as a change, so `2027` would go to the year 2 first. */
function DayForm({ mode }: { readonly mode: 'frozen' | 'shifted' }) {
  const day = useSignal<string | undefined>(undefined)
  const goTo = async (event: Event) => {
    event.preventDefault()
    if (await setClock({ mode, now: `${day.value}T12:00:00Z` })) day.value = undefined
  }
  return (
    <form class="buttons" onSubmit={(event) => void goTo(event)}>
      <input
        type="date"
        aria-label="Day to go to, at noon"
        min="1900-01-01"
        max="9999-12-31"
        required
        value={day.value ?? formatInstant(sandboxNow.value).slice(0, 10)}
        onInput={(event) => (day.value = event.currentTarget.value)}
      />
      <button type="submit" disabled={day.value === undefined}>
        Go to noon
      </button>
    </form>
  )
}

function WorldSeed() {
  const current = sandboxSeed.value ?? ''
  const atStart = info.value?.seed ?? current
  const change = (seed: string) => changeSeed(sandbox.peek(), seed)
  return (
    <SeedForm class="world-seed" seed={current} change={change} action="Set" caption={<span>Seed</span>}>
      {current !== atStart && (
        <button type="button" class="quiet" onClick={() => void change(atStart)}>
          Back to {atStart}
        </button>
      )}
    </SeedForm>
  )
}
