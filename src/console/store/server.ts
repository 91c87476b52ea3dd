import { computed, effect, signal } from '@preact/signals'
import { type ApiResult, call, type Schema } from '../api/call.ts'
import { connectionCount } from './live.ts'
import { valueOrNotice } from './notices.ts'
import { sandbox } from './route.ts'

export const info = signal<Schema<'Info'> | undefined>(undefined)

export const basePath = computed(() => info.value?.contract.basePath ?? '/v1')

/** Returns the base URL of a sandbox. The base URL for `*` and `default` contains no sandbox name. */
export const baseUrlOf = (name: string): string =>
  location.origin + (['*', 'default'].includes(name) ? '' : `/_s/${name}`) + basePath.value

/** All sandboxes, least recently used first; undefined until they are loaded. */
export const sandboxes = signal<readonly Schema<'Sandbox'>[] | undefined>(undefined)

/** A string that changes with each control-plane change to the selected sandbox. The views then reload their data. */
export const revisions = computed(() => {
  const changed = (sandboxes.value ?? []).filter(({ revision }) => revision !== 0)
  const relevant = changed.filter(({ name }) => [name, '*'].includes(sandbox.value))
  return relevant
    .map(({ name, revision }) => `${name} ${revision}`)
    .sort()
    .join()
})

export const sandboxNames = computed(() => {
  const used = (sandboxes.value ?? []).map(({ name }) => name)
  const names = new Set(['default', ...used, ...(sandbox.value === '*' ? [] : [sandbox.value])])
  return [...names].sort()
})

/** The selected sandbox's seed, or the initial seed if the sandbox is not listed; undefined if neither is loaded. */
export const sandboxSeed = computed(
  () => sandboxes.value?.find(({ name }) => name === sandbox.value)?.seed ?? info.value?.seed,
)

effect(() => {
  if (connectionCount.value === 0) return
  void call('get', '/info').then(({ value }) => {
    if (value) info.value = value
  })
})

effect(() => {
  void [sandbox.value, connectionCount.value]
  void refreshSandboxes()
})

export async function refreshSandboxes(): Promise<void> {
  const { value } = await call('get', '/sandboxes')
  if (value) sandboxes.value = value.sandboxes
}

/**
 * Waits for a change made through the control plane, and shows its result as `valueOrNotice` does. Then reloads the
 * sandboxes; a new revision makes the visible parts of the page reload their data.
 */
export async function change<Value>(
  pending: Promise<ApiResult<Value>>,
  sentence?: string | ((value: Value) => string),
) {
  const changed = await valueOrNotice(pending, sentence)
  await refreshSandboxes()
  return changed
}

export function changeSeed(name: string, seed: string) {
  const sentence = `The seed of the sandbox ${name} is now ${seed}. Generated numbers change; stored records do not.`
  return change(call('put', '/sandboxes/{name}', { path: { name }, body: { seed } }), sentence)
}

/** The machine's time, updated once a second while the page is visible. */
export const machineNow = signal(Date.now())

setInterval(() => {
  if (!document.hidden) machineNow.value = Date.now()
}, 1_000)

/** The sandbox's clock, and the machine's time when the clock was read, in epoch milliseconds. */
const currentClock = signal<(Schema<'Clock'> & { readonly readAt: number }) | undefined>(undefined)

export const clockMode = computed(() => currentClock.value?.mode)

/** The sandbox's time in epoch milliseconds, or the machine's time if the sandbox's clock is unknown. */
export const sandboxNow = computed(() => {
  if (!currentClock.value) return machineNow.value
  const { mode, now, readAt } = currentClock.value
  return Date.parse(now) + (mode === 'frozen' ? 0 : Math.max(0, machineNow.value - readAt))
})

effect(() => {
  void [connectionCount.value, revisions.value]
  void refreshClock()
})

// Other clients of the control plane may change the clock and the sandboxes.
setInterval(() => {
  if (!document.hidden && connectionCount.value > 0) void Promise.all([refreshClock(), refreshSandboxes()])
}, 5_000)

async function refreshClock(): Promise<void> {
  const name = sandbox.value
  if (name === '*') {
    currentClock.value = undefined
    return
  }
  const { value } = await call('get', '/clock', { query: { sandbox: name } })
  if (value && name === sandbox.value) currentClock.value = { ...value, readAt: Date.now() }
}

/** Sets or advances the selected sandbox's clock. Returns the clock, or undefined after showing a problem. */
export function changeClock(body: { mode: Schema<'Clock'>['mode']; now?: string } | { by: string }) {
  const options = { query: { sandbox: sandbox.peek() }, body }
  return change('by' in body ? call('post', '/clock/advance', options) : call('put', '/clock', options))
}

export const catalogue = signal<Schema<'Catalogue'>>({
  scenarios: [],
  operations: [],
  keys: [],
  models: [],
  products: [],
})

effect(() => {
  void [revisions.value, connectionCount.value]
  void call('get', '/catalogue').then(({ value }) => {
    if (value) catalogue.value = value
  })
})

export function nameOf(id: string): string | undefined {
  const { models, products } = catalogue.value
  return [...models, ...products].find((one) => one.id.toLowerCase() === id.toLowerCase())?.name
}

export const groupByFamily = <Item extends { readonly family: string }>(items: readonly Item[]) =>
  [...new Set(items.map(({ family }) => family))].map(
    (family) => [family, items.filter((item) => item.family === family)] as const,
  )

/** Adds a rule before a sandbox's other rules, which keep their counts. The first rule that applies wins. */
export const addRule = (sandbox: string, rule: Schema<'Rule'>) =>
  call('post', '/scenarios', { query: { sandbox, position: 'first' }, body: { rules: [rule] } })
