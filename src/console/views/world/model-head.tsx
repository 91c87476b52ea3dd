import type { AnswerOf } from '../../api/answers.ts'
import { hrefOf, replaceRoute, route } from '../../store/route.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { AnalyticsQuestion } from './use-analytics.ts'

const periods = ['7d', '30d', '90d'] as const

/** Properties of `ModelHead`. */
export interface ModelHeadProps {
  readonly question: AnalyticsQuestion
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
}

/** The name of a model, and the choice of its period, its persona and charts or a table. */
export function ModelHead({ question: { model: id, period, scenario }, catalogue }: ModelHeadProps) {
  const model = catalogue.models.find((one) => one.id === id.toLowerCase())
  const isTable = route.value.query['look'] === 'table'
  // Personas and shapes are the scenarios of data that need no value.
  const personas = catalogue.scenarios.filter(
    ({ family, parameters }) => family === 'data' && parameters.every(({ name }) => name === 'p'),
  )
  const chosen = catalogue.scenarios.find(({ name }) => name === scenario)
  const own = model?.scenario ?? model?.shape ?? model?.persona ?? 'drawn by the seed'
  return (
    <header class="model-head">
      <a class="back" href={hrefOf({ id: undefined, query: { as: undefined } })}>
        ← All models
      </a>
      <div class="model-name">
        <h2>{model?.name ?? 'A model that no fixture lists'}</h2>
        <p>
          <code class="cut-off" title={id}>
            {id}
          </code>{' '}
          <CopyButton label="Copy" title="Copy the id" text={id} />
          {model && <span class="faint">{model.about}</span>}
        </p>
      </div>
      <div class="model-controls">
        <fieldset class="segments">
          <legend class="hidden">Period</legend>
          {periods.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === period}
              onClick={() => replaceRoute({ query: { period: one === '30d' ? undefined : one } })}
            >
              {one.slice(0, -1)} days
            </button>
          ))}
        </fieldset>
        <label>
          as{' '}
          <select
            value={scenario ?? ''}
            aria-label="Persona"
            onChange={(event) => replaceRoute({ query: { as: event.currentTarget.value } })}
          >
            <option value="">itself: {own}</option>
            {scenario !== undefined && !personas.some(({ name }) => name === scenario) && (
              <option value={scenario}>{scenario}</option>
            )}
            {personas.map(({ name, about }) => (
              <option key={name} value={name} title={about} selected={name === scenario}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-pressed={isTable}
          onClick={() => replaceRoute({ query: { look: isTable ? undefined : 'table' } })}
        >
          Table
        </button>
      </div>
      {chosen && (
        <p class="chosen">
          <code>X-Sim-Scenario: {chosen.name}</code> <span class="faint">{chosen.about}</span>
        </p>
      )}
    </header>
  )
}
