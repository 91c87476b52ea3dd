import type { Schema } from '../../api/ask.ts'
import { hasState, hrefOf, toggleState } from '../../store/route.ts'
import { catalogue, groupByFamily } from '../../store/server.ts'
import { Button } from '../../ui/controls.tsx'
import { CommandLine, formatCurl } from '../../ui/empty.tsx'
import { count } from '../../ui/text.tsx'
import { type DocumentedField, type DocumentedOperation, requestThatShows } from './document.ts'

interface CoveredOperation {
  readonly operation: DocumentedOperation
  readonly coverage: Schema<'OperationCoverage'>
}

export function Operation(shown: CoveredOperation) {
  const { operation, coverage } = shown
  const { id, method, path, summary, description, assumptions, parameters, body, responses } = operation
  const success = responses.find(({ status }) => status.startsWith('2'))
  const servedBy = catalogue.value.operations.find((one) => one.id === id)?.servedBy
  const scenarios = catalogue.value.scenarios.filter(({ operations }) => operations.includes(id))
  return (
    <article class="operation" aria-labelledby="operation">
      <h2 id="operation" class="mono breaks">
        {method} {path}
      </h2>
      <p class="operation-facts facts">
        <code>{id}</code>
        <a href={hrefOf({ view: 'requests', query: { q: `op:${id}` } })}>{count(coverage.requests, 'request')}</a>
        <Share share={coverage} />
        {servedBy && (
          <span>Served {servedBy === 'simulator' ? 'by the simulator' : 'from the examples of the document'}</span>
        )}
      </p>
      <p>
        <b>{summary}.</b> <Prose text={description} />
      </p>
      <Assumptions texts={assumptions} />
      <details class="operation-scenarios">
        <summary>{count(scenarios.length, 'scenario')} to switch on</summary>
        {groupByFamily(scenarios).map(([family, members]) => (
          <p key={family} class="facts">
            <span class="faint">{family}</span>
            {members.map(({ name, about }) => (
              <a key={name} title={about} href={hrefOf({ view: 'scenarios', id: name, query: { operation: id } })}>
                {name}
              </a>
            ))}
          </p>
        ))}
      </details>
      {parameters.length > 0 && (
        <section>
          <h3>Parameters</h3>
          <Fields shown={shown} fields={parameters} />
        </section>
      )}
      {body && (
        <section>
          <h3>Request body</h3>
          <Prose text={body.description} />
          <Assumptions texts={body.assumptions} />
          <Fields shown={shown} fields={body.fields} />
        </section>
      )}
      <section>
        <h3>Responses</h3>
        {responses.map((response) => (
          <Response key={response.status} {...{ shown, response }} isOpen={response === success} />
        ))}
      </section>
    </article>
  )
}

interface ResponseProps {
  readonly shown: CoveredOperation
  readonly response: DocumentedOperation['responses'][number]
  readonly isOpen: boolean
}

function Response({ shown, response, isOpen }: ResponseProps) {
  const { description, assumptions } = response
  const status = Number(response.status)
  const items = [{ label: response.status, text: 'responded' }]
  const fields = listShown({ shown, status }, response.fields)
  if (fields.length === 0 && listShown({ shown, status }, [{ items }]).length === 0) return null
  return (
    <div class="response">
      <div class="field wraps">
        <b>{response.status}</b>
        <div>
          <Prose text={description} />
          <Assumptions texts={assumptions} />
        </div>
        <Items {...{ shown, items, status }} />
      </div>
      {fields.length > 0 && (
        <details open={isOpen}>
          <summary>Body of {count(fields.length, 'field')}</summary>
          <Fields {...{ shown, fields, status }} />
        </details>
      )}
    </div>
  )
}

/** A list of fields. An assumption about several fields is shown with the first one. */
function Fields({ shown, fields, status }: ShownPart & { fields: readonly DocumentedField[] }) {
  const firstOf = new Map<string, string>()
  for (const { name, assumptions } of fields)
    for (const text of assumptions) if (!firstOf.has(text)) firstOf.set(text, name)
  return (
    <ul class="fields">
      {listShown({ shown, status }, fields).map(
        ({ name, place, type, isRequired, description, assumptions, items }) => {
          const other = assumptions.map((text) => firstOf.get(text)).find((first) => first !== name)
          const at = name.lastIndexOf('.') + 1
          return (
            <li key={`${place} ${name}`} class="field wraps">
              <p>
                <code class="breaks">
                  <span class="faint">{name.slice(0, at)}</span>
                  <b>{name.slice(at)}</b>
                </code>{' '}
                <span class="faint">
                  {place && `in the ${place}, `}
                  {type}
                </span>
                {isRequired && status === undefined && <b class="warn"> required</b>}
              </p>
              <div>
                <Prose text={description} />
                <Assumptions texts={assumptions.filter((text) => firstOf.get(text) === name)} />
                {other !== undefined && <p class="assumption faint small">The same assumption as for {other}.</p>}
              </div>
              <Items {...{ shown, items, status }} />
            </li>
          )
        },
      )}
    </ul>
  )
}

export const showsMissingOnly = () => hasState('only', 'missing')

interface ShownPart {
  readonly shown: CoveredOperation
  /** The status of the response that the fields or items are part of; undefined for those of a request. */
  readonly status?: number | undefined
}

interface ItemsProps extends ShownPart {
  readonly items: DocumentedField['items']
}

/** Returns the fields that the page shows: all, or only those with uncovered items. */
function listShown<Field extends Pick<ItemsProps, 'items'>>(
  { shown, status }: ShownPart,
  fields: readonly Field[],
): readonly Field[] {
  if (!showsMissingOnly()) return fields
  return fields.filter(({ items }) => listStates({ shown, items, status }).some(({ missing }) => missing))
}

/** Lists the items with their state. `missing`: the item's entry in the report, if it is not covered. */
function listStates({ shown, items, status }: ItemsProps) {
  const { covered, missing, outOfReach } = shown.coverage
  const states = items.map(({ label, text }) => ({
    name: status === undefined || label === String(status) ? label : `${status} ${label}`,
    text,
    missing: missing.find(({ name, point }) => name === label && (status === undefined || point.status === status)),
    isMet: covered.includes(label),
    isOutOfReach: outOfReach.includes(label),
  }))
  return states.filter(({ missing, isMet, isOutOfReach }) => missing || isMet || isOutOfReach)
}

/** The items of a parameter, a field or a status. A click on an uncovered item shows a request that covers it. */
function Items(props: ItemsProps) {
  const states = listStates(props)
  const open = states.find(({ name }) => hasState('item', name))?.missing
  return (
    <>
      <span class="wraps">
        {states.map((state) => (
          <Item key={state.name} {...state} />
        ))}
      </span>
      {open && (
        <div class="item-request">
          <p>{open.sentence}</p>
          <CommandLine text={formatCurl(requestThatShows(props.shown.operation, open))} />
        </div>
      )}
    </>
  )
}

function Item({ name, text, missing, isMet }: ReturnType<typeof listStates>[number]) {
  const [sign, word] = missing ? ['○', 'Not covered'] : isMet ? ['✓', 'Covered'] : ['–', 'Out of reach']
  const words = (
    <>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden">{word}: </span> {text}
    </>
  )
  if (!missing) return <span class={isMet ? 'item small met good' : 'item small faint'}>{words}</span>
  return (
    <Button
      label={words}
      class="item small missing pill"
      aria-expanded={hasState('item', name)}
      title={missing.sentence}
      onClick={() => toggleState('item', name)}
    />
  )
}

/** Shows a text of the contract, with the parts between backticks as code. */
const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
)

export const Assumptions = ({ texts }: { readonly texts: readonly string[] }) => (
  <>
    {texts.map((text) => (
      <p key={text} class="assumption faint small">
        <b>Assumed</b> <Prose text={text} />
      </p>
    ))}
  </>
)

export const Share = ({ share: { met, points, percent } }: { readonly share: Schema<'Share'> }) => (
  <span class="share bar faint small nowrap">
    <meter value={percent} max={100} aria-hidden="true" />
    {met} of {points} covered
  </span>
)
