import { computed, signal } from '@preact/signals'
import type { Schema } from '../api/answers.ts'
import { ask } from '../api/ask.ts'
import { valueOrNotice } from './notices.ts'
import { sandbox } from './route.ts'

/** Milliseconds between the ticks that make times of the page grow older. */
const tickMs = 1_000

/** The machine's time, which ticks once a second while the page is visible. */
export const machineNow = signal(Date.now())

setInterval(() => {
  if (!document.hidden) machineNow.value = Date.now()
}, tickMs)

/** The sandbox's clock, and the machine's time at which it was read, epoch milliseconds. */
const known = signal<(Schema<'Clock'> & { readonly readAt: number }) | undefined>(undefined)

/** The mode of the sandbox's clock; undefined: not known yet, or all sandboxes are shown. */
export const clockMode = computed(() => known.value?.mode)

/** The sandbox's time, epoch milliseconds; the machine's where no clock is known. */
export const sandboxNow = computed(() => {
  if (!known.value) return machineNow.value
  const { mode, now, readAt } = known.value
  return Date.parse(now) + (mode === 'frozen' ? 0 : Math.max(0, machineNow.value - readAt))
})

/** Reads the clock of the sandbox that is shown. Call it after a change of the clock, too. */
export async function refreshClock(): Promise<void> {
  const asked = sandbox.value
  if (asked === '*') {
    known.value = undefined
    return
  }
  const clock = await ask('get', '/clock', { query: { sandbox: asked } })
  if (clock.ok && asked === sandbox.value) known.value = { ...clock.value, readAt: Date.now() }
}

/** Sets or advances the clock that is shown. Returns it, or undefined where that is refused, which is shown. */
export async function changeClock(body: { mode: Schema<'Clock'>['mode']; now?: string } | { by: string }) {
  const options = { query: { sandbox: sandbox.peek() }, body }
  const asked = await ('by' in body ? ask('post', '/clock/advance', options) : ask('put', '/clock', options))
  if (asked.ok) await refreshClock()
  return valueOrNotice(asked)
}
