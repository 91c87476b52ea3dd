import type { AnswerOf } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { groupByFamily } from '../../ui/families.ts'
import { count } from '../../ui/text.ts'

/** Properties of `AnsweredBy` and `OperationScenarios`. */
export interface CatalogueProps {
  /** The operationId. */
  readonly id: string
  readonly catalogue: AnswerOf<'/catalogue', 'get'>
}

/** Says where the ordinary answers of an operation come from. */
export function AnsweredBy({ id, catalogue: { operations } }: CatalogueProps) {
  const isSimulated = operations.find((one) => one.id === id)?.answeredBy === 'simulator'
  return <span>Answered {isSimulated ? 'by the simulator' : 'from the examples of the document'}</span>
}

/** Lists the scenarios that fit an operation. Each leads to the form that switches it on for the operation. */
export function OperationScenarios({ id, catalogue: { scenarios } }: CatalogueProps) {
  const fitting = scenarios.filter(({ operations }) => operations.includes(id))
  return (
    <details class="operation-scenarios">
      <summary>{count(fitting.length, 'scenario')} to switch on</summary>
      <dl>
        {groupByFamily(fitting).map(([family, members]) => (
          <div key={family}>
            <dt>{family}</dt>
            <dd class="buttons">
              {members.map(({ name, about }) => (
                <a key={name} title={about} href={hrefOf({ view: 'scenarios', id: name, query: { operation: id } })}>
                  {name}
                </a>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
