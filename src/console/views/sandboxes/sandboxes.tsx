import type { Schema } from '../../api/call.ts'
import { hrefOf, sandbox } from '../../store/route.ts'
import { sandboxes } from '../../store/server.ts'
import { FieldForm } from '../../ui/controls.tsx'
import { Empty, eventRequest, Loading } from '../../ui/empty.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Ago } from '../../ui/text.tsx'
import { createSandbox, SandboxDetail } from './sandbox-detail.tsx'

export function SandboxesPage() {
  const name = sandbox.value
  return (
    <div class="sandboxes panes">
      <section class="stack" aria-label="All sandboxes">
        <header class="pane-head">
          <h2>Sandboxes</h2>
          <FieldForm
            label="Name of the new sandbox"
            action="Create"
            change={createSandbox}
            field={{
              placeholder: 'new sandbox',
              required: true,
              pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}',
              title: 'At most 64 letters, digits, dots, underscores and hyphens, beginning with a letter or a digit.',
            }}
          />
        </header>
        {sandboxes.value ? <SandboxList rows={sandboxes.value} /> : <Loading />}
      </section>
      {name === '*' ? (
        <section class="stack" aria-label="Sandbox">
          <h2>All sandboxes are shown</h2>
          <p class="faint">Click a name in the list to show and change only that sandbox.</p>
        </section>
      ) : (
        <section class="stack" aria-label={`Sandbox ${name}`}>
          <SandboxDetail key={name} name={name} row={sandboxes.value?.find((one) => one.name === name)} />
        </section>
      )}
    </div>
  )
}

type Row = Schema<'Sandbox'>

const numberColumn = (title: string, name: 'events' | 'prompts' | 'snapshots' | 'requests' | 'rules', extra = '') => ({
  title,
  class: `number ${extra}`,
  cell: (row: Row) => (row[name] ?? 0).toLocaleString('en'),
})

function SandboxList({ rows }: { readonly rows: readonly Row[] }) {
  if (rows.length === 0)
    return (
      <Empty title="No sandboxes in use yet" curl={eventRequest({}, { 'X-Sim-Sandbox': 'worker-1' })}>
        A sandbox is created when a request first names it. You can also create one above.
      </Empty>
    )
  const rank = ({ name }: Row) => (name === 'default' ? '' : name)
  return (
    <div class="rows">
      <DataTable
        title="Sandboxes"
        rows={rows.toSorted((one, other) => rank(one).localeCompare(rank(other)))}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Name',
            class: 'breaks',
            cell: ({ name }) => (
              <a
                href={hrefOf({ query: { sandbox: name === 'default' ? undefined : name } })}
                aria-current={sandbox.value === name ? 'true' : undefined}
              >
                {name}
              </a>
            ),
          },
          numberColumn('Requests', 'requests'),
          numberColumn('Events', 'events'),
          numberColumn('Prompts', 'prompts', 'if-room'),
          numberColumn('Rules', 'rules', 'if-room'),
          numberColumn('Snapshots', 'snapshots', 'if-room'),
          { title: 'Used', class: 'faint', cell: ({ usedAt }) => <Ago instant={usedAt} clock="machine" /> },
        ]}
      />
    </div>
  )
}
