import type { Schema } from '../../api/answers.ts'
import { ask } from '../../api/ask.ts'

/** Formats a number with its noun: `1 event`, `2,000 events`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** The numbers of a sandbox that an action destroys, with their nouns. */
const nouns = {
  events: 'event',
  prompts: 'prompt',
  snapshots: 'snapshot',
  requests: 'recorded request',
  rules: 'rule',
} as const satisfies Partial<Record<keyof Schema<'Sandbox'>, string>>

/** Lists the records that an action destroys, as they are counted now: `12 events`. */
export async function readLosses(name: string, kinds: readonly (keyof typeof nouns)[]): Promise<string[]> {
  const asked = await ask('get', '/sandboxes')
  const counts = asked.ok ? asked.value.sandboxes.find((one) => one.name === name) : undefined
  return kinds.flatMap((kind) => {
    const count = counts?.[kind] ?? 0
    return count > 0 ? [formatCount(count, nouns[kind])] : []
  })
}
