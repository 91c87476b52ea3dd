import type { Schema } from '../../api/call.ts'
import { hasState, replaceRoute, route, sandbox, toggleState } from '../../store/route.ts'
import { basePath, catalogue } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton, Select } from '../../ui/controls.tsx'
import { type CurlRequest, Empty, formatCurl, Loading } from '../../ui/empty.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { DetailPanel } from '../../ui/searchable-list.tsx'
import { Mark, nameRuleAt, objectOf, Status, textOrEmpty } from '../../ui/text.tsx'
import { baselineOf, modelRequest, type Numbers, readNumbers, useAnalytics, useEventlessNumbers } from './analytics.ts'
import { Charts, DayTable, EventEffects, Totals } from './charts.tsx'

type Explanation = Schema<'Explanation'>

export function ModelPage({ id }: { readonly id: string }) {
  const { query } = route.value
  const period = query['period'] ?? '30d'
  const request = modelRequest(id, period, query['as'])
  const { value: explanation, problem } = useAnalytics(sandbox.value, request)
  const numbers = explanation?.response.status === 200 ? readNumbers(explanation.response.body) : undefined
  return (
    <DetailPanel label="Model">
      <ModelHead {...{ id, period }} scenario={query['as']} />
      {!explanation && <Loading problem={problem} />}
      {explanation && !numbers && <NoNumbers explanation={explanation} />}
      {explanation && numbers && <ModelNumbers {...{ id, request, explanation, numbers }} />}
      {explanation && <Response {...{ request, explanation }} />}
    </DetailPanel>
  )
}

function ModelHead({ id, period, scenario }: { id: string; period: string; scenario: string | undefined }) {
  const { models, scenarios } = catalogue.value
  const model = models.find((one) => one.id === id.toLowerCase())
  // Personas and shapes: the data scenarios with no parameter except `p`. The scenario in the URL is also selectable.
  const selectable = scenarios.filter(
    ({ family, parameters, name }) =>
      name === scenario || (family === 'data' && parameters.every((parameter) => parameter.name === 'p')),
  )
  const chosen = scenarios.find(({ name }) => name === scenario)
  return (
    <>
      <h2>{model?.name ?? 'A model that is not in the fixtures'}</h2>
      <p class="facts">
        <code class="cut-off">{id}</code>
        <CopyButton label="Copy" title="Copy the ID" text={id} />
        {model && <span class="faint">{model.about}</span>}
      </p>
      <div class="wraps">
        {['7d', '30d', '90d'].map((one) => (
          <Button
            label={`${one.slice(0, -1)} days`}
            key={one}
            aria-pressed={one === period}
            onClick={() => replaceRoute({ query: { period: one } })}
          />
        ))}
        <label>
          as{' '}
          <Select
            aria-label="Persona"
            value={scenario ?? ''}
            options={[
              ['', `itself: ${model?.scenario ?? model?.shape ?? model?.persona ?? 'derived from the seed'}`],
              ...selectable.map(({ name, about }) => [name, name, about] as const),
            ]}
            choose={(as) => replaceRoute({ query: { as } })}
          />
        </label>
        <Button label="Table" aria-pressed={hasState('look', 'table')} onClick={() => toggleState('look', 'table')} />
      </div>
      {chosen && (
        <p>
          <code>X-Sim-Scenario: {chosen.name}</code> <span class="faint">{chosen.about}</span>
        </p>
      )}
    </>
  )
}

const healthMarks: Readonly<Record<string, 'good' | 'violation'>> = { healthy: 'good', critical: 'violation' }

interface ModelNumbersProps {
  readonly id: string
  readonly request: CurlRequest
  readonly explanation: Explanation
  readonly numbers: Numbers
}

function ModelNumbers({ id, request, explanation, numbers }: ModelNumbersProps) {
  const products = catalogue.value.products.filter(({ models }) => models.includes(id.toLowerCase()))
  const quality = useResponse('/quality', { query: { sandbox: sandbox.value }, followsTraffic: true }).value
  const productIndexes = quality?.products.filter(({ productId }) => products.some((one) => one.id === productId)) ?? []
  const eventless = useEventlessNumbers(request, explanation, productIndexes.length > 0 ? numbers : undefined)
  const baseline = productIndexes.length > 0 ? baselineOf(numbers, eventless) : undefined
  const assessment = objectOf(numbers.body['recommendations'])
  const health = textOrEmpty(assessment['healthLevel']) || 'no assessment'
  const Days = hasState('look', 'table') ? DayTable : Charts
  return (
    <>
      <p>
        <Mark kind={healthMarks[health] ?? 'advice'} text={health.replaceAll('_', ' ')} />{' '}
        {textOrEmpty(assessment['summary'])}
      </p>
      <div class="numbers">
        <Days {...{ numbers, baseline }} />
        <Totals body={numbers.body} />
        {quality && <EventEffects {...{ numbers, eventless, baseline, products, productIndexes, quality }} />}
      </div>
    </>
  )
}

const NoNumbers = ({ explanation: { response, why, rule } }: { explanation: Explanation }) => (
  <Empty title={`A request for this model now gets a ${response.status} response without numbers`}>
    {why.join(' ')} {rule && `The response comes from ${nameRuleAt(rule)}. `}
    {response.origin === 'scenario' && (
      <Button label="Show the numbers anyway" class="link" onClick={() => replaceRoute({ query: { as: '200' } })} />
    )}
  </Empty>
)

function Response({ request, explanation }: { request: CurlRequest; explanation: Explanation }) {
  const { response, responseViolations, delivery, damage } = explanation
  return (
    <section aria-label="Response">
      <h3 class="facts">
        <Status code={response.status} /> Response
        <CopyButton label="curl" title="Copy as curl" text={formatCurl(request)} />
        <CopyButton label="JSON" title="Copy as JSON" text={JSON.stringify(response.body, null, 2)} />
      </h3>
      <p class="cut-off">
        <code>
          GET {basePath.value}
          {request.path}
        </code>
      </p>
      {delivery !== 'whole' && <p class="bad">A scenario breaks or slows the delivery: {delivery}.</p>}
      {damage.length > 0 && <p class="bad">A scenario damages the response: {damage.join(', ')}.</p>}
      <JsonTree value={response.body} marks={responseViolations.map((one) => ({ ...one, kind: 'damage' }))} />
    </section>
  )
}
