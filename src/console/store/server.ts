import { computed, signal } from '@preact/signals'
import type { Schema } from '../api/answers.ts'
import { ask } from '../api/ask.ts'
import { tell, valueOrNotice } from './notices.ts'
import { sandbox } from './route.ts'

/** Version, contract and operations of the simulator; undefined until they are read. */
export const info = signal<Schema<'Info'> | undefined>(undefined)

/** All sandboxes, the least recently used first. */
const sandboxes = signal<readonly Schema<'Sandbox'>[]>([])

/** The names to choose from: the sandboxes in use, `default`, and the one that is shown. */
export const sandboxNames = computed(() => {
  const used = sandboxes.value.map(({ name }) => name)
  const names = new Set(['default', ...used, ...(sandbox.value === '*' ? [] : [sandbox.value])])
  return [...names].sort()
})

/** The seed of the sandbox that is shown: that of the start where the sandbox was never used. Undefined until it is known. */
export const sandboxSeed = computed(
  () => sandboxes.value.find(({ name }) => name === sandbox.value)?.seed ?? info.value?.seed,
)

/** Reads version, contract and operations. */
export async function refreshInfo(): Promise<void> {
  const asked = await ask('get', '/info')
  if (asked.ok) info.value = asked.value
}

/** Reads the list of sandboxes. Call it after a change of the list, too. */
export async function refreshSandboxes(): Promise<void> {
  const asked = await ask('get', '/sandboxes')
  if (asked.ok) sandboxes.value = asked.value.sandboxes
}

/** Gives a sandbox another seed. Resolves to false where it is refused, which is shown. */
export async function changeSeed(name: string, seed: string): Promise<boolean> {
  if (!valueOrNotice(await ask('put', '/sandboxes/{name}', { path: { name }, body: { seed } }))) return false
  await refreshSandboxes()
  tell(`The seed of ${name} is ${seed}. All figures and later identifiers are made from it; records stay.`)
  return true
}
