import { useSignal } from '@preact/signals'
import { type Asked, ask } from '../../api/ask.ts'
import { clockMode, refreshClock, sandboxNow } from '../../store/clock.ts'
import { tell, valueOrNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { info, refreshSandboxes, sandboxSeed } from '../../store/server.ts'
import { formatInstant } from '../../ui/time.tsx'

/** The clock and the seed of the sandbox, from which all figures are made. */
export function TimeBar() {
  return (
    <div class="time-bar">
      <ClockControls />
      <SeedForm />
    </div>
  )
}

/** Shows the new clock after a change, or the problem. */
async function showClock(asked: Asked<unknown>): Promise<void> {
  if (valueOrNotice(asked) !== undefined) await refreshClock()
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
  const goTo = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement
    if (value === '' || value === formatInstant(sandboxNow.value).slice(0, 10)) return
    void setClock({ mode: mode === 'real' ? 'shifted' : mode, now: `${value}T12:00:00Z` })
  }
  return (
    <fieldset class="clock-controls">
      <legend class="hidden">Clock</legend>
      <span class="now">
        <b>{formatInstant(sandboxNow.value)}</b> UTC <span class="faint">{modes[mode]}</span>
      </span>
      <span class="buttons">
        <button
          type="button"
          onClick={() => void setClock({ mode: mode === 'frozen' ? 'shifted' : 'frozen' })}
        >
          {mode === 'frozen' ? 'Let it run' : 'Freeze'}
        </button>
        {['1h', '1d', '7d'].map((by) => (
          <button key={by} type="button" aria-label={`Advance by ${by}`} onClick={() => void advance(by)}>
            +{by}
          </button>
        ))}
        <input
          type="date"
          aria-label="Go to a day, at noon"
          value={formatInstant(sandboxNow.value).slice(0, 10)}
          onChange={goTo}
        />
        <button type="button" disabled={mode === 'real'} onClick={() => void setClock({ mode: 'real' })}>
          Back to real
        </button>
      </span>
    </fieldset>
  )
}

/** The seed. It changes with a button, since each seed is another world. */
function SeedForm() {
  const draft = useSignal<string | undefined>(undefined)
  const current = sandboxSeed.value ?? ''
  const atStart = info.value?.seed ?? current
  const setSeed = async (seed: string) => {
    const asked = await ask('put', '/sandboxes/{name}', { path: { name: sandbox.value }, body: { seed } })
    if (!valueOrNotice(asked)) return
    await refreshSandboxes()
    draft.value = undefined
    tell(`The seed is ${seed}. All figures and later identifiers are made from it; records stay.`)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void setSeed(draft.value ?? current)
  }
  return (
    <form class="seed" onSubmit={submit}>
      <label>
        Seed{' '}
        <input
          value={draft.value ?? current}
          maxLength={64}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => (draft.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={draft.value === undefined || draft.value === current}>
        Set
      </button>
      {current !== atStart && (
        <button type="button" class="quiet" onClick={() => void setSeed(atStart)}>
          Back to {atStart}
        </button>
      )}
    </form>
  )
}
