import type { AnswerOf, Schema } from '../../api/answers.ts'
import { replaceRoute, route, sandbox } from '../../store/route.ts'
import { info } from '../../store/server.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCurl } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Status } from '../../ui/status.tsx'
import { Charts } from './charts.tsx'
import { EventEffects } from './event-effects.tsx'
import { compareQuality, type Figures, readFigures } from './figures.ts'
import { Health } from './health.tsx'
import { ModelHead } from './model-head.tsx'
import {
  type AnalyticsQuestion,
  analyticsPathOf,
  headersOf,
  useAnalytics,
  useAnalyticsWithoutEvents,
} from './use-analytics.ts'

/** Properties of `ModelPage`. */
export interface ModelPageProps {
  readonly id: string
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
}

/** The analytics of a model as the service would answer them now: charts, the answer itself, and the effect of events. */
export function ModelPage({ id, catalogue }: ModelPageProps) {
  const { query } = route.value
  const question = { model: id, period: query['period'] ?? '30d', scenario: query['as'] }
  const asked = useAnalytics(sandbox.value, question)
  const explanation = asked?.ok ? asked.value : undefined
  const figures = explanation?.answer.status === 200 ? readFigures(explanation.answer.body) : undefined
  return (
    <div class="world-main">
      <div class="model-page">
        <ModelHead {...{ question, catalogue }} />
        {!explanation && <Loading problem={asked?.ok === false ? asked.problem : undefined} />}
        {explanation && !figures && <Refusal explanation={explanation} />}
        {explanation && figures && <ModelFigures {...{ question, explanation, figures, catalogue }} />}
      </div>
      {explanation && <AnswerPane {...{ question, explanation }} />}
    </div>
  )
}

interface ModelFiguresProps {
  readonly question: AnalyticsQuestion
  readonly explanation: Schema<'Explanation'>
  readonly figures: Figures
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
}

/** The figures of an answer, and what they would be without events. */
function ModelFigures({ question, explanation, figures, catalogue }: ModelFiguresProps) {
  const isOf =
    (id: string) =>
    ({ models }: { models: readonly string[] }) =>
      models.includes(id)
  const products = catalogue.products.filter(isOf(question.model.toLowerCase()))
  const others = catalogue.models.filter(({ id }) => catalogue.products.some(isOf(id)))
  const quality = useAnswer('/quality', { query: { sandbox: sandbox.value }, followsTraffic: true }).value
  const moved = quality?.products.filter(({ productId }) => products.some(({ id }) => id === productId)) ?? []
  const without = useAnalyticsWithoutEvents(question, explanation, moved.length > 0 ? figures : undefined)
  const before = moved.length > 0 ? compareQuality(figures, without) : undefined
  return (
    <>
      <Health body={figures.body} />
      <Charts figures={figures} before={before} isTable={route.value.query['look'] === 'table'}>
        {quality && <EventEffects {...{ figures, without, before, products, moved, quality, others }} />}
      </Charts>
    </>
  )
}

/** Says why the model has no figures now. */
function Refusal({ explanation: { answer, why, rule } }: { readonly explanation: Schema<'Explanation'> }) {
  return (
    <Empty title={`A request for this model is answered ${answer.status} now, without figures`}>
      {why.join(' ')}{' '}
      {rule && `It is rule ${rule.index + 1} of the ${rule.scope === 'sandbox' ? 'sandbox' : 'start'}. `}
      {answer.origin === 'scenario' && (
        <button type="button" class="link" onClick={() => replaceRoute({ query: { as: '200' } })}>
          Show the figures without it
        </button>
      )}
    </Empty>
  )
}

interface AnswerPaneProps {
  readonly question: AnalyticsQuestion
  readonly explanation: Schema<'Explanation'>
}

/** The answer itself, and how to get it. */
function AnswerPane({ question, explanation: { answer, answerViolations, delivery, damage } }: AnswerPaneProps) {
  const path = analyticsPathOf(question)
  const marks = answerViolations.map(({ pointer, message }) => ({
    pointer,
    text: message,
    kind: 'damage' as const,
  }))
  return (
    <section class="world-answer" aria-label="Answer">
      <h3>
        <Status code={answer.status} /> Answer
        <CopyButton
          label="curl"
          title="Copy as curl"
          text={() => Promise.resolve(formatCurl({ method: 'GET', path, headers: headersOf(question) }))}
        />
        <CopyButton
          label="JSON"
          title="Copy as JSON"
          text={() => Promise.resolve(JSON.stringify(answer.body, null, 2))}
        />
      </h3>
      <p class="cut-off" title={path}>
        <code>
          GET {info.value?.contract.basePath}
          {path}
        </code>
      </p>
      {delivery !== 'whole' && <p class="bad">It does not arrive whole; it is delivered as “{delivery}”.</p>}
      {damage.length > 0 && <p class="bad">A scenario damages it: {damage.join(', ')}.</p>}
      <JsonTree value={answer.body} marks={marks} />
    </section>
  )
}
