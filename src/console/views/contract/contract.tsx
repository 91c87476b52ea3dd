import { useMemo } from 'preact/hooks'
import type { ResponseOf } from '../../api/call.ts'
import { useCommands, useListKeys } from '../../store/commands.ts'
import { route, sandbox, toggleState } from '../../store/route.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button } from '../../ui/controls.tsx'
import { Empty, Loading } from '../../ui/empty.tsx'
import { EntryList } from '../../ui/searchable-list.tsx'
import { type ContractNode, listOperations } from './document.ts'
import { Assumptions, Operation, Share, showsMissingOnly } from './operation.tsx'

const toggleMissingOnly = () => toggleState('only', 'missing')

const noItem = { item: undefined }

export function ContractPage() {
  const contract = useResponse('/contract')
  const assumptions = useResponse('/assumptions')
  const coverage = useResponse('/coverage', { query: { sandbox: sandbox.value }, followsTraffic: true })
  const operations = useMemo(() => listOperations((contract.value ?? {}) as ContractNode), [contract.value])
  const operationsText = useMemo(() => JSON.stringify(operations), [operations])
  useListKeys({ noun: 'operation', ids: operations.map(({ id }) => id), query: noItem, shownId: operations[0]?.id })
  useCommands([{ title: 'Show or hide covered fields', key: 'm', run: toggleMissingOnly }], [])
  if (!contract.value || !assumptions.value || !coverage.value)
    return <Loading problem={contract.problem ?? assumptions.problem ?? coverage.problem} />
  const id = route.value.id ?? operations[0]?.id
  const operation = operations.find((one) => one.id === id)
  const operationCoverage = coverage.value.operations.find((one) => one.operation === id)
  // The assumptions that do not belong to a specific operation.
  const general = assumptions.value.assumptions.filter(({ text }) => !operationsText.includes(JSON.stringify(text)))
  return (
    <div class="split with-open with-menu">
      <Contents coverage={coverage.value} openId={id} />
      <div class="split-side contract" tabIndex={-1} data-open>
        {operation && operationCoverage ? (
          <Operation key={id} operation={operation} coverage={operationCoverage} />
        ) : (
          <Empty title="The contract has no such operation">Pick an operation from the list.</Empty>
        )}
        {general.length > 0 && (
          <section class="general">
            <h3>For all operations</h3>
            <Assumptions texts={general.map(({ text }) => text)} />
          </section>
        )}
      </div>
    </div>
  )
}

const Contents = ({ coverage, openId }: { coverage: ResponseOf<'/coverage', 'get'>; openId: string | undefined }) => (
  <aside class="contents split-pane scroll" aria-label="Operations">
    <div class="toolbar bar">
      <p class="contents-total facts">
        <b style={{ fontSize: '20px' }}>{coverage.percent}%</b> <Share share={coverage} />
      </p>
    </div>
    <EntryList
      entries={coverage.operations.map((one) => ({
        id: one.operation,
        title: (
          <code class="breaks">
            <b>{one.method}</b> {one.path}
          </code>
        ),
        note: <Share share={one} />,
      }))}
      openId={openId}
      query={noItem}
    />
    <div class="toolbar bar">
      <p class="faint">✓ covered, ○ not covered, – out of reach. Click an uncovered item to see how to cover it.</p>
      <Button label="Hide covered fields" aria-pressed={showsMissingOnly()} onClick={toggleMissingOnly} />
    </div>
  </aside>
)
