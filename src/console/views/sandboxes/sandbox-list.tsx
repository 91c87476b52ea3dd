import { useSignal } from '@preact/signals'
import type { Schema } from '../../api/answers.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
import { info } from '../../store/server.ts'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { SeedField } from '../../ui/seed-form.tsx'
import { DataTable, type TableColumn } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { createSandbox } from './actions.ts'

type Row = Schema<'Sandbox'>

const numberColumn = (title: string, name: 'events' | 'prompts' | 'snapshots' | 'requests' | 'rules') => ({
  title,
  isNumber: true,
  class: `count-${name}`,
  cell: (row: Row) => (row[name] ?? 0).toLocaleString('en'),
})

const columns: readonly TableColumn<Row>[] = [
  { title: 'Name', class: 'name', cell: ({ name }) => <SandboxLink name={name} /> },
  numberColumn('Requests', 'requests'),
  numberColumn('Events', 'events'),
  numberColumn('Prompts', 'prompts'),
  numberColumn('Rules', 'rules'),
  numberColumn('Snapshots', 'snapshots'),
  { title: 'Clock', class: 'mode', cell: ({ clock }) => clock.mode },
  { title: 'Used', class: 'used', cell: ({ usedAt }) => <Ago instant={usedAt} clock="machine" /> },
]

/** The sandboxes by name, of which the user picks the one that the whole page shows. */
export function SandboxList({ rows }: { readonly rows: readonly Row[] }) {
  if (rows.length === 0)
    return (
      <Empty
        title="No sandbox in use yet"
        curl={{
          method: 'POST',
          path: '/events',
          headers: { 'X-Sim-Sandbox': 'worker-1' },
          body: sampleEvent,
        }}
      >
        A sandbox is created when a request first names it, or above.
      </Empty>
    )
  const sorted = [...rows].sort((one, other) => rank(one).localeCompare(rank(other)))
  return (
    <div class="rows">
      <DataTable title="Sandboxes" columns={columns} rows={sorted} keyOf={({ name }) => name} />
    </div>
  )
}

/** The default sandbox comes first. */
const rank = ({ name }: Row) => (name === 'default' ? '' : name)

function SandboxLink({ name }: { readonly name: string }) {
  const isShown = sandbox.value === name
  return (
    <a
      href={hrefOf({ query: { sandbox: name === 'default' ? undefined : name } })}
      aria-current={isShown ? 'true' : undefined}
    >
      {name}
    </a>
  )
}

/** A form that creates a sandbox and shows it. */
export function CreateForm() {
  const name = useSignal('')
  const seed = useSignal('')
  const problem = useSignal<string | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    problem.value = await createSandbox(name.value, seed.value)
  }
  return (
    <form class="inline-form" onSubmit={(event) => void submit(event)}>
      <input
        required
        aria-label="Name of the new sandbox"
        placeholder="new sandbox"
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
        title="At most 64 letters, digits, dots, underscores and hyphens; the first is a letter or a digit."
        autocomplete="off"
        spellcheck={false}
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <SeedField
        value={seed.value}
        onValue={(value) => (seed.value = value)}
        label="Seed of the new sandbox"
        placeholder={`seed ${info.value?.seed ?? ''}`}
      />
      <button type="submit">Create</button>
      {problem.value !== undefined && (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  )
}
