import { useContext, useMemo } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { count } from '../../ui/text.ts'
import type { DocumentedField } from './fields.ts'
import { CoverageContext, hasMissing, Items, type ItemsProps, type MetItems, showsMissingOnly } from './item.tsx'
import { AnsweredBy, OperationScenarios } from './operation-scenarios.tsx'
import type { DocumentedAnswer, DocumentedOperation } from './operations.ts'
import { Assumptions, Prose } from './prose.tsx'
import { Share } from './share.tsx'

/** Properties of `Operation`. */
export interface OperationProps {
  readonly operation: DocumentedOperation
  readonly coverage: Schema<'OperationCoverage'>
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
}

/** An operation as documentation, with its coverage drawn into it. */
export function Operation({ operation, coverage, catalogue }: OperationProps) {
  const met = useMemo(() => toMetItems(operation, coverage), [operation, coverage])
  const { id, method, path, summary, description, assumptions, parameters, body, answers } = operation
  const success = answers.find(({ status }) => status.startsWith('2'))
  return (
    <CoverageContext.Provider value={met}>
      <article class="operation" aria-labelledby="operation">
        <h2 id="operation" class="breaks">
          {method} {path}
        </h2>
        <p class="operation-facts">
          <code>{id}</code>
          <a href={hrefOf({ view: 'requests', query: { q: `op:${id}` } })}>{count(coverage.requests, 'request')}</a>
          <Share share={coverage} />
          <AnsweredBy {...{ id, catalogue }} />
        </p>
        <p>
          <b>{summary}.</b> <Prose text={description} />
        </p>
        <Assumptions texts={assumptions} />
        <OperationScenarios {...{ id, catalogue }} />
        {parameters.length > 0 && (
          <section>
            <h3>Parameters</h3>
            <Fields fields={parameters} />
          </section>
        )}
        {body && (
          <section>
            <h3>Request body</h3>
            <Prose text={body.description} />
            <Assumptions texts={body.assumptions} />
            <Fields fields={body.fields} />
          </section>
        )}
        <section>
          <h3>Answers</h3>
          {answers.map((answer) => (
            <Answer key={answer.status} answer={answer} isOpen={answer === success} />
          ))}
        </section>
      </article>
    </CoverageContext.Provider>
  )
}

function toMetItems(operation: DocumentedOperation, coverage: Schema<'OperationCoverage'>): MetItems {
  const missing = new Map<string, Schema<'MissingPoint'>[]>()
  for (const point of coverage.missing) missing.set(point.name, [...(missing.get(point.name) ?? []), point])
  return {
    operation,
    covered: new Set(coverage.covered),
    missing,
    outOfReach: new Set(coverage.outOfReach),
  }
}

function Answer({ answer, isOpen }: { readonly answer: DocumentedAnswer; readonly isOpen: boolean }) {
  const { status, description, assumptions } = answer
  const items = [{ label: status, text: 'answered' }]
  const fields = useShown(answer.fields, Number(status))
  const isShown = useShown([{ items }], Number(status)).length > 0
  if (!isShown && fields.length === 0) return null
  return (
    <div class="answer">
      <div class="answer-head">
        <b>{status}</b>
        <Prose text={description} />
        <Items items={items} status={Number(status)} />
      </div>
      <Assumptions texts={assumptions} />
      {fields.length > 0 && (
        <details open={isOpen}>
          <summary>Body of {count(fields.length, 'field')}</summary>
          <Fields fields={fields} status={Number(status)} />
        </details>
      )}
    </div>
  )
}

interface FieldsProps {
  readonly fields: readonly DocumentedField[]
  readonly status?: number
}

/** Returns the fields that the page shows: all, or those with something that was never met. */
function useShown<Field extends ItemsProps>(fields: readonly Field[], status?: number): readonly Field[] {
  const met = useContext(CoverageContext)
  if (!met || !showsMissingOnly()) return fields
  return fields.filter(({ items }) => hasMissing(met, { items, status }))
}

/** A list of fields. An assumption that holds for several of them stands at the first. */
function Fields({ fields, status }: FieldsProps) {
  const firstOf = new Map<string, string>()
  for (const { name, assumptions } of fields)
    for (const text of assumptions) if (!firstOf.has(text)) firstOf.set(text, name)
  return (
    <ul class="fields">
      {useShown(fields, status).map((field) => {
        const { name, place, type, isRequired, description, assumptions, items } = field
        const own = assumptions.filter((text) => firstOf.get(text) === name)
        const [other] = assumptions.filter((text) => firstOf.get(text) !== name)
        return (
          <li key={`${place} ${name}`}>
            <div class="field-name">
              <FieldName name={name} />{' '}
              <span class="faint">
                {place && `in the ${place}, `}
                {type}
              </span>
              {isRequired && status === undefined && <span class="required">required</span>}
            </div>
            <div class="field-text">
              <Prose text={description} />
              <Assumptions texts={own} />
              {other !== undefined && <p class="assumption">Assumed as for {firstOf.get(other)}.</p>}
            </div>
            <Items items={items} status={status} />
          </li>
        )
      })}
    </ul>
  )
}

/** A name with what it lies within in a quieter colour, so that the eye finds the name itself. */
function FieldName({ name }: { readonly name: string }) {
  const at = name.lastIndexOf('.') + 1
  return (
    <code class="breaks">
      <span class="faint">{name.slice(0, at)}</span>
      <b>{name.slice(at)}</b>
    </code>
  )
}
