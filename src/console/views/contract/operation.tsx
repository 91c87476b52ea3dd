import { catalogue, groupByFamily } from '../../store/catalogue.ts'
import { hrefOf } from '../../store/route.ts'
import { count } from '../../ui/text.tsx'
import type { DocumentedField } from './document.ts'
import { Assumptions, CoverageContext, type CoveredOperation, Items, Prose, Share, useShown } from './item.tsx'
import type { DocumentedOperation } from './operations.ts'

/** An operation as documentation, with its coverage drawn into it. */
export function Operation({ operation, coverage }: CoveredOperation) {
  const { id, method, path, summary, description, assumptions, parameters, body, responses } = operation
  const success = responses.find(({ status }) => status.startsWith('2'))
  const { operations = [], scenarios: all = [] } = catalogue.value ?? {}
  const isSimulated = operations.find((one) => one.id === id)?.servedBy === 'simulator'
  const scenarios = all.filter(({ operations }) => operations.includes(id))
  return (
    <CoverageContext.Provider value={{ operation, coverage }}>
      <article class="operation" aria-labelledby="operation">
        <h2 id="operation" class="mono breaks">
          {method} {path}
        </h2>
        <p class="operation-facts facts">
          <code>{id}</code>
          <a href={hrefOf({ view: 'requests', query: { q: `op:${id}` } })}>{count(coverage.requests, 'request')}</a>
          <Share share={coverage} />
          <span>Served {isSimulated ? 'by the simulator' : 'from the examples of the document'}</span>
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
          <h3>Responses</h3>
          {responses.map((response) => (
            <Response key={response.status} response={response} isOpen={response === success} />
          ))}
        </section>
      </article>
    </CoverageContext.Provider>
  )
}

function Response({ response, isOpen }: { response: DocumentedOperation['responses'][number]; isOpen: boolean }) {
  const { description, assumptions } = response
  const status = Number(response.status)
  const items = [{ label: response.status, text: 'responded' }]
  const fields = useShown(response.fields, status)
  const isShown = useShown([{ items }], status).length > 0
  if (!isShown && fields.length === 0) return null
  return (
    <div class="response">
      <div class="field wraps">
        <b>{response.status}</b>
        <div>
          <Prose text={description} />
          <Assumptions texts={assumptions} />
        </div>
        <Items {...{ items, status }} />
      </div>
      {fields.length > 0 && (
        <details open={isOpen}>
          <summary>Body of {count(fields.length, 'field')}</summary>
          <Fields {...{ fields, status }} />
        </details>
      )}
    </div>
  )
}

/** A list of fields. An assumption that holds for several of them stands at the first. */
function Fields({ fields, status }: { fields: readonly DocumentedField[]; status?: number }) {
  const firstOf = new Map<string, string>()
  for (const { name, assumptions } of fields)
    for (const text of assumptions) if (!firstOf.has(text)) firstOf.set(text, name)
  return (
    <ul class="fields">
      {useShown(fields, status).map(({ name, place, type, isRequired, description, assumptions, items }) => {
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
              {other !== undefined && <p class="assumption faint small">Assumed as for {other}.</p>}
            </div>
            <Items {...{ items, status }} />
          </li>
        )
      })}
    </ul>
  )
}
