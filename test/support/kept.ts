import type { StoredPrompt } from '../../src/state/records.ts'
import type { EventPage } from '../../src/state/store.ts'
import { ask } from './client.ts'
import type { TestSimulator } from './start.ts'

type Target = Pick<TestSimulator, 'origin'>

/** What a GET of the control plane answers, as the type that the caller knows it to have. */
export async function read<T>(target: Target, path: string): Promise<T> {
  const answer = await ask(target, `/__sim${path}`, { token: null })
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** `GET events` with a query such as `sandbox=a&limit=10`. */
export function eventPage(target: Target, query = ''): Promise<EventPage> {
  return read(target, `/events?${query}`)
}

/** Every event of a sandbox, however many pages it takes. */
export async function allEvents(target: Target, sandbox = 'default'): Promise<EventPage['events']> {
  const events: EventPage['events'][number][] = []
  for (;;) {
    const page = await eventPage(target, `sandbox=${sandbox}&offset=${events.length}&limit=10000`)
    events.push(...page.events)
    if (page.events.length === 0 || events.length >= page.total) return events
  }
}

/** `GET prompts`. */
export async function promptsOf(target: Target, sandbox = 'default'): Promise<readonly StoredPrompt[]> {
  return (await read<{ prompts: StoredPrompt[] }>(target, `/prompts?sandbox=${sandbox}`)).prompts
}
