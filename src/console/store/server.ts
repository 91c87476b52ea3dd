import { computed, signal } from '@preact/signals'
import { ask, type Schema } from '../api/ask.ts'
import { showNotice, valueOrNotice } from './notices.ts'
import { sandbox } from './route.ts'

/** Version, contract and operations of the simulator; undefined until they are read. */
export const info = signal<Schema<'Info'> | undefined>(undefined)

/** Grows when a client of the control plane has changed the shown sandbox, which is then read again. */
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
  showNotice(`The seed of ${name} is ${seed}. All numbers and later identifiers are made from it; records stay.`)
  return true
}

/** Milliseconds between the ticks that make times of the page grow older. */
const tickMs = 1_000

/** The machine's time, which ticks once a second while the page is visible. */
export const machineNow = signal(Date.now())

setInterval(() => {
  if (!document.hidden) machineNow.value = Date.now()
}, tickMs)

/** The sandbox's clock, and the machine's time at which it was read, epoch milliseconds. */
const shownClock = signal<(Schema<'Clock'> & { readonly readAt: number }) | undefined>(undefined)

/** The mode of the sandbox's clock; undefined: not known yet, or all sandboxes are shown. */
export const clockMode = computed(() => shownClock.value?.mode)

/** The sandbox's time, epoch milliseconds; the machine's where no clock is known. */
export const sandboxNow = computed(() => {
  if (!shownClock.value) return machineNow.value
  const { mode, now, readAt } = shownClock.value
  return Date.parse(now) + (mode === 'frozen' ? 0 : Math.max(0, machineNow.value - readAt))
})

/** Reads the clock of the sandbox that is shown. Call it after a change of the clock, too. */
export async function refreshClock(): Promise<void> {
  const asked = sandbox.value
  if (asked === '*') {
    shownClock.value = undefined
    return
  }
  const clock = await ask('get', '/clock', { query: { sandbox: asked } })
  if (clock.ok && asked === sandbox.value) shownClock.value = { ...clock.value, readAt: Date.now() }
}

/** Sets or advances the clock that is shown. Returns it, or undefined where that is refused, which is shown. */
export async function changeClock(body: { mode: Schema<'Clock'>['mode']; now?: string } | { by: string }) {
  const options = { query: { sandbox: sandbox.peek() }, body }
  const asked = await ('by' in body ? ask('post', '/clock/advance', options) : ask('put', '/clock', options))
  if (asked.ok) await refreshClock()
  return valueOrNotice(asked)
}
