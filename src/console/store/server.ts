import { computed, effect, signal } from '@preact/signals'
import { type Asked, ask, type Schema } from '../api/ask.ts'
import { connection } from './live.ts'
import { valueOrNotice } from './notices.ts'
import { sandbox } from './route.ts'

/** Version, contract and operations of the simulator; undefined until they are read. */
export const info = signal<Schema<'Info'> | undefined>(undefined)

/** The path before the paths of the service: `/v1`. */
export const basePath = computed(() => info.value?.contract.basePath ?? '/v1')

/** All sandboxes, the least recently used first; undefined until they are read. */
export const sandboxes = signal<readonly Schema<'Sandbox'>[] | undefined>(undefined)

/** Changes when a client of the control plane has changed the shown sandbox, which is then read again. */
export const revisions = computed(() => {
  const used = (sandboxes.value ?? []).filter(({ revision }) => revision !== 0)
  const shown = used.filter(({ name }) => [name, '*'].includes(sandbox.value))
  return shown
    .map(({ name, revision }) => `${name} ${revision}`)
    .sort()
    .join()
})

/** True if the sandbox of the address was deleted, or nothing has used it yet. */
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

export async function refreshInfo(): Promise<void> {
  const { value } = await ask('get', '/info')
  if (value) info.value = value
}

/** Reads the list of sandboxes. Call it after a change of the list or of a sandbox, too. */
export async function refreshSandboxes(): Promise<void> {
  const { value } = await ask('get', '/sandboxes')
  if (value) sandboxes.value = value.sandboxes
}

/**
 * Waits for a change by the control plane, and shows what came of it, as `valueOrNotice` does. Then it reads the
 * sandboxes, whose revisions have all parts of the page read again what has changed.
 */
export async function change<Value>(changing: Promise<Asked<Value>>, sentence?: string | ((value: Value) => string)) {
  const changed = await valueOrNotice(changing, sentence)
  await refreshSandboxes()
  return changed
}

/** Gives a sandbox another seed. Resolves to false if it is refused, which is shown. */
export async function changeSeed(name: string, seed: string): Promise<boolean> {
  const changing = ask('put', '/sandboxes/{name}', { path: { name }, body: { seed } })
  const sentence = `The seed of ${name} is ${seed}. All numbers and later identifiers are made from it; records stay.`
  return (await change(changing, sentence)) !== undefined
}

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

export async function refreshClock(): Promise<void> {
  const shown = sandbox.value
  if (shown === '*') {
    shownClock.value = undefined
    return
  }
  const { value } = await ask('get', '/clock', { query: { sandbox: shown } })
  if (value && shown === sandbox.value) shownClock.value = { ...value, readAt: Date.now() }
}

/** Sets or advances the clock that is shown. Returns it, or undefined if that is refused, which is shown. */
export function changeClock(body: { mode: Schema<'Clock'>['mode']; now?: string } | { by: string }) {
  const options = { query: { sandbox: sandbox.peek() }, body }
  return change('by' in body ? ask('post', '/clock/advance', options) : ask('put', '/clock', options))
}

/** The scenarios, operations, models and products of the simulator; empty until they are read. */
export const catalogue = signal<Schema<'Catalogue'>>({
  scenarios: [],
  operations: [],
  keys: [],
  models: [],
  products: [],
})

effect(() => {
  void [revisions.value, connection.value]
  void ask('get', '/catalogue').then(({ value }) => {
    if (value) catalogue.value = value
  })
})

const names = computed(() => {
  const { models, products } = catalogue.value
  return new Map([...models, ...products].map(({ id, name }) => [id.toLowerCase(), name]))
})

/** Returns the name of a model or product, or undefined if the fixtures do not have the id. */
export const nameOf = (id: string): string | undefined => names.value.get(id.toLowerCase())

/** Groups scenarios by their family, in the order in which the families first occur. */
export function groupByFamily<Item extends { readonly family: string }>(items: readonly Item[]): [string, Item[]][] {
  const families = new Map<string, Item[]>()
  for (const item of items) families.set(item.family, [...(families.get(item.family) ?? []), item])
  return [...families]
}

export type Rules = readonly Schema<'Rule'>[]

export type ChangedRules = Promise<Asked<Schema<'RuleList'>>>

/** Adds a rule before the other rules of a sandbox, whose counts stay, since the first rule that acts decides. */
export const addRule = (sandbox: string, rule: Schema<'Rule'>): ChangedRules =>
  ask('post', '/scenarios', { query: { sandbox, position: 'first' }, body: { rules: [rule] } })

/**
 * Replaces the rules of a sandbox that the page has shown. Changes nothing if another client has changed them, or if
 * `rules` is undefined, since the rules that are shown are not those that the user wanted to change.
 */
export async function replaceRules(sandbox: string, shown: Rules, rules: Rules | undefined): ChangedRules {
  const query = { sandbox }
  const present = await ask('get', '/scenarios', { query })
  if (present.problem) return present
  if (rules && JSON.stringify(present.value.rules) === JSON.stringify(shown))
    return ask('put', '/scenarios', { query, body: { rules } })
  const sentence = 'The rules were changed meanwhile. They are shown now; change them again.'
  return { problem: { status: undefined, sentence } }
}
