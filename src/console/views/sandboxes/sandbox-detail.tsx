import { useRef } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { useCommands } from '../../store/commands.ts'
import { changeSeed, info, refreshSandboxes } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { FieldForm, seedField } from '../../ui/fields.tsx'
import { Ago, count, formatInstant } from '../../ui/text.tsx'
import * as actions from './actions.ts'

interface SandboxDetailProps {
  readonly name: string
  /** Undefined if nothing has used the sandbox yet. */
  readonly row: Schema<'Sandbox'> | undefined
}

/** The sandbox that the page shows, with everything that can be done with it. */
export function SandboxDetail({ name, row }: SandboxDetailProps) {
  const file = useRef<HTMLInputElement>(null)
  const after = (action: Promise<void>) => void action.then(refreshSandboxes)
  useCommands(
    [
      { title: `Reset the sandbox ${name}`, run: () => after(actions.resetSandbox(name)) },
      { title: `Export the sandbox ${name}`, run: () => void actions.downloadExport(name) },
    ],
    [name],
  )
  const pick = ({ currentTarget: input }: { readonly currentTarget: HTMLInputElement }) => {
    const chosen = input.files?.[0]
    if (chosen) after(actions.importFile(name, chosen))
    // The same file can be chosen again after it was fixed.
    input.value = ''
  }
  const ways = [
    ['Header', `X-Sim-Sandbox: ${name}`],
    ['Key', `any-key~${name}`],
    ['Base URL', `${location.origin}/_s/${name}${info.value?.contract.basePath ?? '/v1'}`],
  ] as const
  return (
    <>
      <h2 class="breaks">{name}</h2>
      {row ? (
        <p class="faint">
          Its clock is {row.clock.mode}
          {row.clock.mode === 'frozen' && ` at ${formatInstant(row.clock.now)} UTC`}. Used{' '}
          <Ago instant={row.usedAt} clock="machine" />.
        </p>
      ) : (
        <p class="faint">Not used yet. It was deleted, or no request has named it.</p>
      )}
      <h3>How requests use it</h3>
      {name === 'default' ? (
        <p class="faint">Every request that names no sandbox uses this one.</p>
      ) : (
        <dl class="pairs">
          {ways.map(([title, text]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd class="wraps">
                <code class="breaks">{text}</code>
                <CopyButton label="Copy" title={`Copy the ${title.toLowerCase()}`} text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <h3>Seed</h3>
      <p class="faint">The records stay; later identifiers and numbers are derived from the new seed.</p>
      <FieldForm
        label="Seed"
        value={row?.seed ?? info.value?.seed ?? ''}
        action="Change"
        change={(seed) => changeSeed(name, seed)}
        field={seedField}
      />
      <Snapshots name={name} after={after} />
      <h3>Export and import</h3>
      <p class="faint">A file has the events, prompts and quality settings.</p>
      <p class="wraps">
        <Button label="Export" onClick={() => void actions.downloadExport(name)} />
        <Button label="Import …" onClick={() => file.current?.click()} />
        <input ref={file} type="file" accept=".json,application/json" hidden onChange={pick} />
      </p>
      <h3>Reset and delete</h3>
      <p class="faint">A reset leaves the snapshots. Before anything is lost, the page asks once and names it.</p>
      <p class="wraps">
        <Button label="Reset …" onClick={() => after(actions.resetSandbox(name))} />
        {name !== 'default' && (
          <Button label="Delete …" class="bad" onClick={() => after(actions.deleteSandbox(name))} />
        )}
      </p>
    </>
  )
}

function Snapshots({ name, after }: { name: string; after: (action: Promise<void>) => void }) {
  const { value, reload } = useResponse('/snapshots', { query: { sandbox: name }, followsTraffic: true })
  const run = (action: Promise<void>) => after(action.then(reload))
  const take = async (title: string) => {
    run(actions.takeSnapshot(name, title))
    return true
  }
  return (
    <>
      <h3>Snapshots</h3>
      <p class="faint">Copies of the events, prompts and quality settings, to go back to.</p>
      {value && value.snapshots.length > 0 && (
        <ul class="snapshot-list">
          {value.snapshots.map((snapshot) => (
            <li key={snapshot.snapshotId} class="facts">
              <b class="breaks">{actions.titleOf(snapshot)}</b>
              <span class="faint">
                {count(snapshot.events, 'event')}, {count(snapshot.prompts, 'prompt')},{' '}
                <Ago instant={snapshot.createdAt} />
              </span>
              <button type="button" class="quiet last" onClick={() => run(actions.restoreSnapshot(name, snapshot))}>
                Restore …<span class="hidden"> {actions.titleOf(snapshot)}</span>
              </button>
              <button type="button" class="quiet" onClick={() => run(actions.deleteSnapshot(name, snapshot))}>
                Delete …<span class="hidden"> {actions.titleOf(snapshot)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <FieldForm
        label="Name of the snapshot"
        action="Take a snapshot"
        change={take}
        field={{ placeholder: 'name, if you like', maxLength: 200 }}
      />
    </>
  )
}
