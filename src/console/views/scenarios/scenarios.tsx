import type { ResponseOf } from '../../api/ask.ts'
import { catalogue } from '../../store/catalogue.ts'
import { sandbox } from '../../store/route.ts'
import { useResponse } from '../../store/use-response.ts'
import { Loading } from '../../ui/empty.tsx'
import { count } from '../../ui/text.tsx'
import { CatalogueList } from './catalogue.tsx'
import { RuleList } from './rule-list.tsx'

/** Shows the view "Scenarios": the rules of a sandbox, and everything that can be switched on. */
export function ScenariosPage() {
  const query = { sandbox: sandbox.value }
  const rules = useResponse('/scenarios', { query, followsTraffic: true })
  const sequences = useResponse('/sequences', { query, followsTraffic: true })
  const reload = async () => {
    await Promise.all([rules.reload(), sequences.reload()])
  }
  if (!rules.value || !catalogue.value) return <Loading problem={rules.problem} />
  return (
    <div class="scenarios panes">
      <section class="stack" aria-label="Rules">
        <RuleList response={rules.value} reload={reload} />
        {sequences.value && <Sequences {...sequences.value} />}
      </section>
      <section class="stack" aria-label="Catalogue">
        <CatalogueList onAdded={reload} />
      </section>
    </div>
  )
}

type SequenceState = ResponseOf<'/sequences', 'get'>['sequences'][number]

/** Shows the sequences that requests have used, each with the item that the next request gets. */
export function Sequences({ sequences }: ResponseOf<'/sequences', 'get'>) {
  if (sequences.length === 0) return null
  return (
    <>
      <h2>Sequences in use</h2>
      <ul class="stack">
        {sequences.map((one) => (
          <li key={`${one.operation} ${nameOwner(one)} ${one.sequence}`} class="sequence box">
            <p>
              <b>{one.operation}</b>{' '}
              <span class="faint">
                {nameOwner(one)} · {count(one.met, 'request')} so far
              </span>
            </p>
            {one.items ? <Steps {...one} /> : <code class="breaks">{one.sequence}</code>}
          </li>
        ))}
      </ul>
    </>
  )
}

function nameOwner({ rule }: SequenceState): string {
  if (!rule) return 'by the header X-Sim-Sequence'
  return rule.scope === 'sandbox' ? `rule ${rule.index + 1}` : `rule ${rule.index + 1} of the start`
}

function Steps({ items = [], position = 0 }: SequenceState) {
  return (
    <ol class="steps wraps">
      {items.map(({ scenario, times }, index) => (
        <li
          key={index}
          class={index === position ? 'pill small' : 'pill faint small'}
          aria-current={index === position ? 'step' : undefined}
        >
          {index < position && (
            <>
              <span aria-hidden="true">✓ </span>
              <span class="hidden">done: </span>
            </>
          )}
          {index === position && <b>next: </b>}
          <code>{scenario}</code>
          {index === items.length - 1 ? ' from here on' : times > 1 && ` × ${times}`}
        </li>
      ))}
    </ol>
  )
}
