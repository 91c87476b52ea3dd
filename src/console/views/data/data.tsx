import { useListKeys } from '../../store/commands.ts'
import { navigate, route, sandbox } from '../../store/route.ts'
import { catalogue, changeClock, changeSeed, clockMode, info, sandboxNow, sandboxSeed } from '../../store/server.ts'
import { Button, FieldForm, seedField } from '../../ui/controls.tsx'
import { EntryList } from '../../ui/searchable-list.tsx'
import { formatInstant } from '../../ui/text.tsx'
import { ModelPage } from './model-page.tsx'

const noScenario = { as: undefined }

export const DataPage = () => (
  <>
    <TimeBar />
    <Models />
  </>
)

function Models() {
  const { models } = catalogue.value
  const openId = route.value.id ?? models[0]?.id
  useListKeys({ noun: 'model', ids: models.map(({ id }) => id), query: noScenario, shownId: models[0]?.id })
  const open = async (id: string) => {
    if (id !== '') navigate({ id, query: noScenario })
    return true
  }
  return (
    <div class="split with-open with-menu">
      <section class="split-pane scroll" aria-label="Models">
        <div class="toolbar bar">
          <FieldForm
            label="ID of another model"
            action="Show"
            change={open}
            field={{ placeholder: 'Any other UUID' }}
          />
        </div>
        <EntryList
          entries={models.map(({ id, name, about, scenario, shape, persona }) => ({
            id,
            title: name,
            note: scenario ?? shape ?? persona ?? 'from the seed',
            tooltip: about,
          }))}
          openId={openId}
          query={noScenario}
        />
      </section>
      {openId !== undefined && <ModelPage key={openId} id={openId} />}
    </div>
  )
}

const modes = {
  real: 'real time',
  frozen: 'frozen at this time',
  shifted: 'running, with an offset from real time',
} as const

function TimeBar() {
  const mode = clockMode.value
  const seed = sandboxSeed.value ?? ''
  const initial = info.value?.seed ?? seed
  const change = (newSeed: string) => changeSeed(sandbox.peek(), newSeed)
  return (
    <div class="toolbar bar">
      {mode !== undefined && (
        <>
          <span>
            <b>{formatInstant(sandboxNow.value)}</b> UTC <span class="faint">{modes[mode]}</span>
          </span>
          <Button
            label={mode === 'frozen' ? 'Resume' : 'Freeze'}
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
          <Button label="Use real time" disabled={mode === 'real'} onClick={() => void changeClock({ mode: 'real' })} />
          <FieldForm
            label="Clock date"
            value={formatInstant(sandboxNow.value).slice(0, 10)}
            action="Go to noon"
            change={(day) => changeClock({ mode: mode === 'real' ? 'shifted' : mode, now: `${day}T12:00:00Z` })}
            field={{ type: 'date', min: '1900-01-01', max: '9999-12-31', required: true }}
          />
        </>
      )}
      <div class="bar last">
        Seed <FieldForm label="Seed" value={seed} action="Set" change={change} field={seedField} />
      </div>
      {seed !== initial && <Button label={`Back to ${initial}`} class="quiet" onClick={() => void change(initial)} />}
    </div>
  )
}
