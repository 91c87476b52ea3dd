import { catalogue } from '../../store/catalogue.ts'
import { sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { Loading } from '../../ui/empty.tsx'
import { CatalogueList } from './catalogue.tsx'
import { RuleList } from './rule-list.tsx'
import { Sequences } from './sequences.tsx'

/** Shows the view "Scenarios": the rules of a sandbox, and everything that can be switched on. */
export function ScenariosPage() {
  const query = { sandbox: sandbox.value }
  const rules = useAnswer('/scenarios', { query, followsTraffic: true })
  const sequences = useAnswer('/sequences', { query, followsTraffic: true })
  const reload = async () => {
    await Promise.all([rules.reload(), sequences.reload()])
  }
  if (!rules.value || !catalogue.value) return <Loading problem={rules.problem} />
  return (
    <div class="scenarios panes">
      <section class="stack" aria-label="Rules">
        <RuleList answer={rules.value} reload={reload} />
        {sequences.value && <Sequences {...sequences.value} />}
      </section>
      <section class="stack" aria-label="Catalogue">
        <CatalogueList onAdded={reload} />
      </section>
    </div>
  )
}
