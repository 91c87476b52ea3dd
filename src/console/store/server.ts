import { computed, signal } from '@preact/signals'
import type { Schema } from '../api/answers.ts'
import { ask } from '../api/ask.ts'
import { showNotice, valueOrNotice } from './notices.ts'
import { sandbox } from './route.ts'

/** Version, contract and operations of the simulator; undefined until they are read. */
export const info = signal<Schema<'Info'> | undefined>(undefined)

/** Grows when a client of the control plane has changed the shown sandbox, which is then read anew. */
export const changeTick = signal(0)

/** All sandboxes, the least recently used first; undefined until they are read. */
export const sandboxes = signal<readonly Schema<'Sandbox'>[] | undefined>(undefined)

/** True where the sandbox of the address is none that there is: it was deleted, or nothing has used it yet. */
export const isSandboxMissing = computed(() => {
  const names = sandboxes.value?.map(({ name }) => name)
  return names !== undefined && !['*', 'default', ...names].includes(sandbox.value)
})

/** The names to choose from: the sandboxes in use, `default`, and the one that is shown. */
export const sandboxNames = computed(() => {
  const used = (sandboxes.value ?? []).map(({ name }) => name)
  const names = new Set(['default', ...used, ...(sandbox.value === '*' ? [] : [sandbox.value])])
  return [...names].sort()
})

/** The seed of the shown sandbox, or of the start if the sandbox was never used; undefined until it is known. */
export const sandboxSeed = computed(
  () => sandboxes.value?.find(({ name }) => name === sandbox.value)?.seed ?? info.value?.seed,
)

/** Reads version, contract and operations. */
export async function refreshInfo(): Promise<void> {
  const asked = await ask('get', '/info')
  if (asked.ok) info.value = asked.value
}

/** Reads the list of sandboxes. Call it after a change of the list, too. */
export async function refreshSandboxes(): Promise<void> {
  const asked = await ask('get', '/sandboxes')
  if (!asked.ok) return
  sandboxes.value = asked.value.sandboxes
  const now = { sandbox: sandbox.value, revision: findRevision(sandbox.value) }
  if (known?.sandbox === now.sandbox && known.revision !== now.revision) changeTick.value += 1
  known = now
}

/** The revision of the sandbox that was shown when the list was last read. */
let known: { readonly sandbox: string; readonly revision: string } | undefined

const findRevision = (name: string) =>
  (sandboxes.value ?? [])
    .filter((one) => one.revision !== 0 && (name === '*' || one.name === name))
    .map((one) => `${one.name} ${one.revision}`)
    .sort()
    .join()

/** Gives a sandbox another seed. Resolves to false where it is refused, which is shown. */
export async function changeSeed(name: string, seed: string): Promise<boolean> {
  if (!valueOrNotice(await ask('put', '/sandboxes/{name}', { path: { name }, body: { seed } }))) return false
  await refreshSandboxes()
  showNotice(`The seed of ${name} is ${seed}. All figures and later identifiers are made from it; records stay.`)
  return true
}
