import { useRef } from 'preact/hooks'
import { call, callText, type Schema } from '../../api/call.ts'
import { confirmAction, showProblem, valueOrNotice } from '../../store/notices.ts'
import { sandbox, showSandbox } from '../../store/route.ts'
import { baseUrlOf, change, changeSeed, info } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton, FieldForm, seedField } from '../../ui/controls.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Pairs } from '../../ui/table.tsx'
import { Ago, formatInstant, pluralize } from '../../ui/text.tsx'

export function SandboxDetail({ name, row }: { name: string; row: Schema<'Sandbox'> | undefined }) {
  const file = useRef<HTMLInputElement>(null)
  const pick = ({ currentTarget: input }: { readonly currentTarget: HTMLInputElement }) => {
    const chosen = input.files?.[0]
    if (chosen) void importFile(name, chosen)
    // Without this, choosing the same file again after fixing it would have no effect.
    input.value = ''
  }
  const selectors = [
    ['Header', `X-Sim-Sandbox: ${name}`],
    ['Key', `any-key~${name}`],
    ['Base URL', baseUrlOf(name)],
  ] as const
  return (
    <>
      <h2 class="breaks">{name}</h2>
      {row ? (
        <p class="faint">
          The clock mode is {row.clock.mode}
          {row.clock.mode === 'frozen' && ` (${formatInstant(row.clock.now)} UTC)`}. Last used{' '}
          <Ago instant={row.usedAt} clock="machine" />.
        </p>
      ) : (
        <p class="faint">Not in use: this sandbox was deleted, or no request has used it yet.</p>
      )}
      <h3>Select this sandbox in requests</h3>
      {name === 'default' ? (
        <p class="faint">Every request that does not name a sandbox uses this one.</p>
      ) : (
        <Pairs
          rows={selectors.map(([title, text]) => [
            title,
            <>
              <code>{text}</code>
              <CopyButton label="Copy" title={`Copy: ${title}`} text={text} />
            </>,
          ])}
        />
      )}
      <h3>Seed</h3>
      <p class="faint">A new seed changes the generated numbers and future identifiers, but not the stored records.</p>
      <FieldForm
        label="Seed"
        value={row?.seed ?? info.value?.seed ?? ''}
        action="Change"
        change={(seed) => changeSeed(name, seed)}
        field={seedField}
      />
      <Snapshots name={name} />
      <h3>Export and import</h3>
      <p class="faint">The file contains the events, prompts and quality settings.</p>
      <p class="wraps">
        <Button label="Export" onClick={() => void downloadExport(name)} />
        <Button label="Import…" onClick={() => file.current?.click()} />
        <input ref={file} type="file" accept=".json,application/json" hidden onChange={pick} />
      </p>
      <h3>Reset and delete</h3>
      <p class="faint">A reset keeps the snapshots.</p>
      <p class="wraps">
        <Button label="Reset…" onClick={() => void resetSandbox(name)} />
        {name !== 'default' && <Button label="Delete…" class="bad" onClick={() => void deleteSandbox(name)} />}
      </p>
    </>
  )
}

function Snapshots({ name }: { readonly name: string }) {
  const { value } = useResponse('/snapshots', { query: { sandbox: name }, followsTraffic: true })
  return (
    <>
      <h3>Snapshots</h3>
      <p class="faint">Copies of the events, prompts and quality settings, which you can restore later.</p>
      <ul class="snapshot-list">
        {value?.snapshots.map((snapshot) => {
          const title = titleOf(snapshot)
          const restore = () => restoreSnapshot(name, snapshot)
          const remove = () => deleteSnapshot(name, snapshot)
          return (
            <li key={snapshot.snapshotId} class="facts">
              <b class="breaks">{title}</b>
              <span class="faint">
                {pluralize(snapshot.events, 'event')}, {pluralize(snapshot.prompts, 'prompt')},{' '}
                <Ago instant={snapshot.createdAt} />
              </span>
              <Button label="Restore…" class="quiet last" aria-label={`Restore… ${title}`} onClick={restore} />
              <Button label="Delete…" class="quiet" aria-label={`Delete… ${title}`} onClick={remove} />
            </li>
          )
        })}
      </ul>
      <FieldForm
        label="Name of the snapshot"
        action="Take a snapshot"
        change={(title) => takeSnapshot(name, title)}
        field={{ placeholder: 'name (optional)', maxLength: 200 }}
      />
    </>
  )
}

const nouns = { events: 'event', prompts: 'prompt', snapshots: 'snapshot', rules: 'rule', requests: 'recorded request' }

/** Asks for confirmation and lists what will be lost: counts of records, settings, and the items in `further`. */
async function confirmLoss(name: string, title: string, kinds: readonly (keyof typeof nouns)[], ...further: string[]) {
  const { value } = await call('get', '/sandboxes')
  const counts = value?.sandboxes.find((one) => one.name === name)
  const losses = kinds.flatMap((kind) => (counts?.[kind] ? [pluralize(counts[kind], nouns[kind])] : []))
  const settings = ['the quality settings', 'the rate limit windows and the positions in sequences']
  return confirmAction(title, [...losses, ...settings, ...further])
}

/** Creates a sandbox and shows it. On failure, shows the problem and resolves to undefined. */
export async function createSandbox(name: string): Promise<true | undefined> {
  const existing = await call('get', '/sandboxes')
  if (existing.value?.sandboxes.some((one) => one.name === name))
    return void showProblem(`The sandbox "${name}" already exists. Choose another name, or open that sandbox.`)
  const request = call('put', '/sandboxes/{name}', { path: { name }, body: {} })
  if (!(await change(request, `Created the sandbox ${name}; this page now shows it.`))) return undefined
  showSandbox(name)
  return true
}

export async function resetSandbox(name: string): Promise<void> {
  const clockAndSeed = 'the clock and the seed, which return to their initial values'
  const title = `Reset the sandbox ${name}?`
  if (!(await confirmLoss(name, title, ['events', 'prompts', 'rules', 'requests'], clockAndSeed))) return
  await change(call('post', '/reset', { query: { sandbox: name } }), `The sandbox ${name} was reset.`)
}

export async function deleteSandbox(name: string): Promise<void> {
  const kinds = ['events', 'prompts', 'snapshots', 'rules', 'requests'] as const
  if (!(await confirmLoss(name, `Delete the sandbox ${name}?`, kinds, 'the clock and the seed'))) return
  // The page's own requests would recreate the sandbox, so the page switches to another sandbox first.
  if (sandbox.peek() === name) showSandbox('default')
  await change(call('delete', '/sandboxes/{name}', { path: { name } }), `The sandbox ${name} was deleted.`)
}

export const takeSnapshot = (sandbox: string, title: string) =>
  change(
    call('post', '/snapshots', { query: { sandbox }, body: { name: title || undefined } }),
    'The snapshot was taken.',
  )

async function restoreSnapshot(name: string, snapshot: Schema<'Snapshot'>): Promise<void> {
  if (!(await confirmLoss(name, `Restore the snapshot ${titleOf(snapshot)}?`, ['events', 'prompts']))) return
  const options = { path: { snapshotId: snapshot.snapshotId }, query: { sandbox: name } }
  const request = call('post', '/snapshots/{snapshotId}/restore', options)
  await change(request, `The sandbox ${name} was restored from the snapshot.`)
}

async function deleteSnapshot(name: string, snapshot: Schema<'Snapshot'>): Promise<void> {
  const { snapshotId, events, prompts } = snapshot
  const losses = [`its copy of ${pluralize(events, 'event')} and ${pluralize(prompts, 'prompt')}`]
  if (!(await confirmAction(`Delete the snapshot ${titleOf(snapshot)}?`, losses))) return
  const options = { path: { snapshotId }, query: { sandbox: name } }
  await change(call('delete', '/snapshots/{snapshotId}', options), 'The snapshot was deleted.')
}

const titleOf = ({ name, snapshotId }: Schema<'Snapshot'>) => name ?? snapshotId.slice(0, 8)

export async function downloadExport(name: string): Promise<void> {
  const text = await valueOrNotice(callText('/export', { query: { sandbox: name } }))
  if (text !== undefined) saveFile(`${name}.export.json`, text)
}

async function importFile(name: string, file: File): Promise<void> {
  const body: unknown = await new Response(file).json().catch(() => undefined)
  if (body === undefined)
    return showProblem(`${file.name} is not JSON. Choose a file exported by this page or by GET /__sim/export.`)
  if (!(await confirmLoss(name, `Import ${file.name} into the sandbox ${name}?`, ['events', 'prompts']))) return
  await change(
    call('post', '/import', { query: { sandbox: name }, body }),
    ({ events, prompts }) =>
      `The sandbox ${name} now has ${pluralize(events, 'event')} and ${pluralize(prompts, 'prompt')}.`,
  )
}
