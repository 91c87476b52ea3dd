import { ask, askText, type Schema } from '../../api/ask.ts'
import { askOnce, showNotice, showProblem, valueOrNotice } from '../../store/notices.ts'
import { sandbox, showSandbox } from '../../store/route.ts'
import { refreshClock, refreshSandboxes } from '../../store/server.ts'
import { count } from '../../ui/text.tsx'

/** The milliseconds that a browser has to begin a download before its address ends. */
const downloadMs = 60_000

/** The numbers of a sandbox that an action destroys, with their nouns. */
const nouns = {
  events: 'event',
  prompts: 'prompt',
  snapshots: 'snapshot',
  requests: 'recorded request',
  rules: 'rule',
} as const satisfies Partial<Record<keyof Schema<'Sandbox'>, string>>

/** Asks before an action, and names the records that it destroys, as they are counted now, and further losses. */
async function askToLose(
  name: string,
  title: string,
  kinds: readonly (keyof typeof nouns)[],
  ...further: readonly string[]
): Promise<boolean> {
  const asked = await ask('get', '/sandboxes')
  const counts = asked.ok ? asked.value.sandboxes.find((one) => one.name === name) : undefined
  const losses = kinds.flatMap((kind) => (counts?.[kind] ? [count(counts[kind], nouns[kind])] : []))
  const settings = ['the quality settings', 'the rate windows and the places in sequences']
  return askOnce({ title, losses: [...losses, ...settings, ...further], action: title.split(' ')[0] ?? title })
}

/** Creates a sandbox and shows it. An empty seed is the server's. Returns the sentence of a problem, or undefined. */
export async function createSandbox(name: string, seed: string): Promise<string | undefined> {
  const known = await ask('get', '/sandboxes')
  if (!known.ok) return known.problem.sentence
  if (known.value.sandboxes.some((one) => one.name === name))
    return `There is a sandbox "${name}" already. Choose another name, or click that one in the list.`
  const body = seed === '' ? {} : { seed }
  const created = await ask('put', '/sandboxes/{name}', { path: { name }, body })
  if (!created.ok) return created.problem.sentence
  await refreshSandboxes()
  showNotice(`The sandbox ${name} is created, and this page shows it now.`)
  showSandbox(name)
  return undefined
}

/** Brings a sandbox back to its state at the start. */
export async function resetSandbox(name: string): Promise<void> {
  const origin = 'the clock and the seed, which go back to those of the start'
  const title = `Reset the sandbox ${name}?`
  if (!(await askToLose(name, title, ['events', 'prompts', 'rules', 'requests'], origin))) return
  if (!valueOrNotice(await ask('post', '/reset', { query: { sandbox: name } }))) return
  await refreshClock()
  showNotice(`The sandbox ${name} is as at the start.`)
}

/** Deletes a sandbox with everything that it holds. */
export async function deleteSandbox(name: string): Promise<void> {
  const kinds = ['events', 'prompts', 'snapshots', 'rules', 'requests'] as const
  if (!(await askToLose(name, `Delete the sandbox ${name}?`, kinds, 'the clock and the seed'))) return
  // What the page asks about a sandbox creates it again, so the page leaves it first.
  if (sandbox.peek() === name) showSandbox('default')
  if (!valueOrNotice(await ask('delete', '/sandboxes/{name}', { path: { name } }))) return
  await refreshSandboxes()
  showNotice(`The sandbox ${name} is deleted.`)
}

/** Takes a snapshot. An empty title is none. */
export async function takeSnapshot(name: string, title: string): Promise<void> {
  const body = title === '' ? {} : { name: title }
  if (valueOrNotice(await ask('post', '/snapshots', { query: { sandbox: name }, body })))
    showNotice('The snapshot is taken.')
}

/** Replaces the state of a sandbox by that of a snapshot. */
export async function restoreSnapshot(name: string, snapshot: Schema<'Snapshot'>): Promise<void> {
  if (!(await askToLose(name, `Restore the snapshot ${titleOf(snapshot)}?`, ['events', 'prompts']))) return
  const path = { snapshotId: snapshot.snapshotId }
  if (valueOrNotice(await ask('post', '/snapshots/{snapshotId}/restore', { path, query: { sandbox: name } })))
    showNotice(`The sandbox ${name} is as in the snapshot.`)
}

/** Deletes a snapshot. */
export async function deleteSnapshot(name: string, snapshot: Schema<'Snapshot'>): Promise<void> {
  const { snapshotId, events, prompts } = snapshot
  const losses = [`its copy of ${count(events, 'event')} and ${count(prompts, 'prompt')}`]
  if (!(await askOnce({ title: `Delete the snapshot ${titleOf(snapshot)}?`, losses, action: 'Delete' }))) return
  const options = { path: { snapshotId }, query: { sandbox: name } }
  if (valueOrNotice(await ask('delete', '/snapshots/{snapshotId}', options))) showNotice('The snapshot is deleted.')
}

/** Returns the name by which a user knows a snapshot. */
export const titleOf = ({ name, snapshotId }: Schema<'Snapshot'>) => name ?? snapshotId.slice(0, 8)

/** Lets the browser store the export of a sandbox as a file. */
export async function downloadExport(name: string): Promise<void> {
  const text = valueOrNotice(await askText('/export', { query: { sandbox: name } }))
  if (text === undefined) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = `${name}.export.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), downloadMs)
}

/** Replaces the state of a sandbox by an export in a file. */
export async function importFile(name: string, file: File): Promise<void> {
  let body: unknown
  try {
    body = JSON.parse(await file.text())
  } catch {
    return showProblem(`${file.name} is not JSON. Choose a file that this page or GET /__sim/export has written.`)
  }
  if (!(await askToLose(name, `Import ${file.name} into the sandbox ${name}?`, ['events', 'prompts']))) return
  const counts = valueOrNotice(await ask('post', '/import', { query: { sandbox: name }, body }))
  if (counts) showNotice(`${name} has ${count(counts.events, 'event')} and ${count(counts.prompts, 'prompt')} now.`)
}
