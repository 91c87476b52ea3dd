import type { Schema } from '../../api/answers.ts'
import { ask } from '../../api/ask.ts'
import { count } from '../../ui/text.ts'

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
    const number = counts?.[kind] ?? 0
    return number > 0 ? [count(number, nouns[kind])] : []
  })
}
