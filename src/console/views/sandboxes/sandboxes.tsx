import { useEffect } from 'preact/hooks'
import { sandbox } from '../../store/route.ts'
import { refreshSandboxes } from '../../store/server.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { Loading } from '../../ui/loading.tsx'
import { SandboxDetail } from './sandbox-detail.tsx'
import { CreateForm, SandboxList } from './sandbox-list.tsx'

/** Milliseconds between two readings of the list. The stream has only the requests of the sandbox that is shown. */
const refreshMs = 2_000

/** Shows the view "Sandboxes": all of them, and everything that can be done with the one that the page shows. */
export function SandboxesPage() {
  const { value, problem, reload } = useAnswer('/sandboxes')
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [])
  const reloadAll = async () => {
    await Promise.all([reload(), refreshSandboxes()])
  }
  const name = sandbox.value
  return (
    <div class="sandboxes panes">
      <section aria-label="All sandboxes">
        <header class="pane-head">
          <h2>Sandboxes</h2>
          <CreateForm />
        </header>
        {value ? <SandboxList rows={value.sandboxes} /> : <Loading problem={problem} />}
      </section>
      {name === '*' ? (
        <section aria-label="Sandbox">
          <h2>All sandboxes are shown</h2>
          <p class="faint">Click a name in the list to show that sandbox alone, and to change it.</p>
        </section>
      ) : (
        <section aria-label={`Sandbox ${name}`}>
          <SandboxDetail name={name} row={value?.sandboxes.find((one) => one.name === name)} reload={reloadAll} />
        </section>
      )}
    </div>
  )
}
