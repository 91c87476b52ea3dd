import { useMemo } from 'preact/hooks'
import type { AnswerOf } from '../../api/answers.ts'
import { useCommands } from '../../store/commands.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { useListKeys } from '../../store/use-list-keys.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { ContractNode } from './document.ts'
import { showsMissingOnly } from './item.tsx'
import { Operation } from './operation.tsx'
import { type DocumentedOperation, listOperations } from './operations.ts'
import { Assumptions } from './prose.tsx'
import { Share } from './share.tsx'

const toggleMissingOnly = () => replaceRoute({ query: { only: showsMissingOnly() ? undefined : 'missing' } })

/** Shows the view "Contract": documentation of the operations, with what the clients have met of them. */
export function ContractPage() {
  const contract = useAnswer('/contract')
  const assumptions = useAnswer('/assumptions')
  const catalogue = useAnswer('/catalogue')
  const coverage = useAnswer('/coverage', { query: { sandbox: sandbox.value }, followsTraffic: true })
  const operations = useMemo(() => listOperations((contract.value ?? {}) as ContractNode), [contract.value])
  useListKeys({
    noun: 'operation',
    ids: () => (coverage.value?.operations ?? []).map((one) => one.operation),
    open: (next) => replaceRoute({ id: next, query: { item: undefined } }),
    shownId: operations[0]?.id,
  })
  useCommands([{ title: 'Show only what was never met', key: 'm', run: toggleMissingOnly }], [])
  if (!contract.value || !assumptions.value || !catalogue.value || !coverage.value)
    return <Loading problem={contract.problem ?? assumptions.problem ?? catalogue.problem ?? coverage.problem} />
  const id = route.value.id ?? operations[0]?.id
  const operation = operations.find((one) => one.id === id)
  const covered = coverage.value.operations.find((one) => one.operation === id)
  return (
    <div class="contract">
      <Contents coverage={coverage.value} chosen={id} />
      <div class="contract-page" tabIndex={-1} data-open>
        {operation && covered ? (
          <Operation key={id} operation={operation} coverage={covered} catalogue={catalogue.value} />
        ) : (
          <Empty title="The contract has no such operation">Pick one of the list.</Empty>
        )}
        <General assumptions={assumptions.value.assumptions} operations={operations} />
      </div>
    </div>
  )
}

interface ContentsProps {
  readonly coverage: AnswerOf<'/coverage', 'get'>
  readonly chosen: string | undefined
}

function Contents({ coverage, chosen }: ContentsProps) {
  return (
    <aside class="contents entries" aria-label="Operations">
      <p class="contents-total">
        <b>{coverage.percent} %</b> <Share share={coverage} />
      </p>
      {coverage.operations.map((one) => (
        <a
          key={one.operation}
          href={hrefOf({ id: one.operation, query: { item: undefined } })}
          aria-current={one.operation === chosen ? 'page' : undefined}
        >
          <code class="breaks">
            <b>{one.method}</b> {one.path}
          </code>
          <Share share={one} />
        </a>
      ))}
      <div class="legend">
        <p class="faint">✓ met, ○ never met: click it for a request that meets it.</p>
        <button type="button" aria-pressed={showsMissingOnly()} onClick={toggleMissingOnly}>
          Hide what was met
        </button>
      </div>
    </aside>
  )
}

interface GeneralProps {
  readonly assumptions: AnswerOf<'/assumptions', 'get'>['assumptions']
  readonly operations: readonly DocumentedOperation[]
}

/** The assumptions that stand at no operation, such as those about keys and the order of refusals. */
function General({ assumptions, operations }: GeneralProps) {
  const placed = useMemo(() => JSON.stringify(operations), [operations])
  const general = assumptions.filter(({ text }) => !placed.includes(JSON.stringify(text)))
  if (general.length === 0) return null
  return (
    <section class="general">
      <h3>For all operations</h3>
      <Assumptions texts={general.map(({ text }) => text)} />
    </section>
  )
}
