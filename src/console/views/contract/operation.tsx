import type { Schema } from '../../api/call.ts'
import { hasState, hrefOf, toggleState } from '../../store/route.ts'
import { catalogue, groupByFamily } from '../../store/server.ts'
import { Button } from '../../ui/controls.tsx'
import { CommandLine, formatCurl } from '../../ui/empty.tsx'
import { pluralize } from '../../ui/text.tsx'
import { type DocumentedField, type DocumentedOperation, requestThatCovers } from './document.ts'

interface OperationWithCoverage {
  readonly operation: DocumentedOperation
  readonly coverage: Schema<'OperationCoverage'>
}

export function Operation(parent: OperationWithCoverage) {
  const { operation, coverage } = parent
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
        <a href={hrefOf({ view: 'requests', query: { q: `op:${id}` } })}>{pluralize(coverage.requests, 'request')}</a>
        <Share share={coverage} />
        {servedBy && (
          <span>
            Served {servedBy === 'simulator' ? 'by the simulator' : 'from the examples and schemas of the contract'}
          </span>
        )}
      </p>
      <p>
        <b>{summary}.</b> <Prose text={description} />
      </p>
      <Assumptions texts={assumptions} />
      <details class="operation-scenarios">
        <summary>{pluralize(scenarios.length, 'scenario')} for this operation</summary>
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
          <Fields parent={parent} fields={parameters} />
        </section>
      )}
      {body && (
        <section>
          <h3>Request body</h3>
          <Prose text={body.description} />
          <Assumptions texts={body.assumptions} />
          <Fields parent={parent} fields={body.fields} />
        </section>
      )}
      <section>
        <h3>Responses</h3>
        {responses.map((response) => (
          <Response key={response.status} {...{ parent, response }} isOpen={response === success} />
        ))}
      </section>
    </article>
  )
}

interface ResponseProps {
  readonly parent: OperationWithCoverage
  readonly response: DocumentedOperation['responses'][number]
  readonly isOpen: boolean
}

function Response({ parent, response, isOpen }: ResponseProps) {
  const { description, assumptions } = response
  const status = Number(response.status)
  const items = [{ label: response.status, text: 'returned' }]
  const fields = listVisible({ parent, status }, response.fields)
  if (fields.length === 0 && listVisible({ parent, status }, [{ items }]).length === 0) return null
  return (
    <div class="response">
      <div class="field wraps">
        <b>{response.status}</b>
        <div>
          <Prose text={description} />
          <Assumptions texts={assumptions} />
        </div>
        <Items {...{ parent, items, status }} />
      </div>
      {fields.length > 0 && (
        <details open={isOpen}>
          <summary>Body: {pluralize(fields.length, 'field')}</summary>
          <Fields {...{ parent, fields, status }} />
        </details>
      )}
    </div>
  )
}

/** A list of fields. If several have the same assumption, only the first shows it; the others refer to the first. */
function Fields({ parent, fields, status }: OperationPart & { fields: readonly DocumentedField[] }) {
  const visible = listVisible({ parent, status }, fields)
  const firstOf = new Map<string, string>()
  for (const { name, assumptions } of visible)
    for (const text of assumptions) if (!firstOf.has(text)) firstOf.set(text, name)
  return (
    <ul class="fields">
      {visible.map(({ name, location, type, isRequired, description, assumptions, items }) => {
        const other = assumptions.map((text) => firstOf.get(text)).find((first) => first !== name)
        const at = name.lastIndexOf('.') + 1
        return (
          <li key={`${location} ${name}`} class="field wraps">
            <p>
              <code class="breaks">
                <span class="faint">{name.slice(0, at)}</span>
                <b>{name.slice(at)}</b>
              </code>{' '}
              <span class="faint">
                {location && `in the ${location}, `}
                {type}
              </span>
              {isRequired && status === undefined && <b class="warn"> required</b>}
            </p>
            <div>
              <Prose text={description} />
              <Assumptions texts={assumptions.filter((text) => firstOf.get(text) === name)} />
              {other !== undefined && <p class="assumption faint small">See the assumption for {other}.</p>}
            </div>
            <Items {...{ parent, items, status }} />
          </li>
        )
      })}
    </ul>
  )
}

export const showsMissingOnly = () => hasState('only', 'missing')

interface OperationPart {
  readonly parent: OperationWithCoverage
  /** The status of the response that contains the fields or items; undefined for a request. */
  readonly status?: number | undefined
}

interface ItemsProps extends OperationPart {
  readonly items: DocumentedField['items']
}

/** Returns the fields that the page shows: all fields, or only those with uncovered items. */
function listVisible<Field extends Pick<ItemsProps, 'items'>>(
  { parent, status }: OperationPart,
  fields: readonly Field[],
): readonly Field[] {
  if (!showsMissingOnly()) return fields
  return fields.filter(({ items }) => listStates({ parent, items, status }).some(({ missing }) => missing))
}

/** Returns the state of each item in the coverage report. `missing` is the report's entry for an uncovered item. */
function listStates({ parent, items, status }: ItemsProps) {
  const { covered, missing, outOfReach } = parent.coverage
  const states = items.map(({ label, text }) => ({
    name: status === undefined || label === String(status) ? label : `${status} ${label}`,
    text,
    missing: missing.find(({ name, point }) => name === label && (status === undefined || point.status === status)),
    isCovered: covered.includes(label),
    isOutOfReach: outOfReach.includes(label),
  }))
  return states.filter(({ missing, isCovered, isOutOfReach }) => missing || isCovered || isOutOfReach)
}

/** The coverage items of a parameter, field or status. Clicking an uncovered item shows a request that covers it. */
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
          <CommandLine text={formatCurl(requestThatCovers(props.parent.operation, open))} />
        </div>
      )}
    </>
  )
}

function Item({ name, text, missing, isCovered }: ReturnType<typeof listStates>[number]) {
  const [sign, word] = missing ? ['○', 'Not covered'] : isCovered ? ['✓', 'Covered'] : ['–', 'Out of reach']
  const words = (
    <>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden">{word}: </span> {text}
    </>
  )
  if (!missing) return <span class={isCovered ? 'item small met good' : 'item small faint'}>{words}</span>
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

const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
)

export const Assumptions = ({ texts }: { readonly texts: readonly string[] }) => (
  <>
    {texts.map((text) => (
      <p key={text} class="assumption faint small">
        <b>Assumption:</b> <Prose text={text} />
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
