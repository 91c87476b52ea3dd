import { sandbox } from '../../store/route.ts'
import { sandboxes } from '../../store/server.ts'
import { Loading } from '../../ui/loading.tsx'
import { SandboxDetail } from './sandbox-detail.tsx'
import { CreateForm, SandboxList } from './sandbox-list.tsx'

/** Shows the view "Sandboxes": all of them, and everything that can be done with the one that the page shows. */
export function SandboxesPage() {
  const name = sandbox.value
  return (
    <div class="sandboxes panes">
      <section aria-label="All sandboxes">
        <header class="pane-head">
          <h2>Sandboxes</h2>
          <CreateForm />
        </header>
        {sandboxes.value ? <SandboxList rows={sandboxes.value} /> : <Loading problem={undefined} />}
      </section>
      {name === '*' ? (
        <section aria-label="Sandbox">
          <h2>All sandboxes are shown</h2>
          <p class="faint">Click a name in the list to show that sandbox alone, and to change it.</p>
        </section>
      ) : (
        <section aria-label={`Sandbox ${name}`}>
          <SandboxDetail key={name} name={name} row={sandboxes.value?.find((one) => one.name === name)} />
        </section>
      )}
    </div>
  )
}
