import type { StoredPrompt } from '../../src/state/records.ts'
import type { EventPage } from '../../src/state/store.ts'
import { ask } from './client.ts'
import type { TestSimulator } from './start.ts'

type Target = Pick<TestSimulator, 'origin'>

/** What a GET of the control plane answers, as the type that the caller knows it to have. */
export async function readControl<T>(target: Target, path: string): Promise<T> {
  const answer = await ask(target, `/__sim${path}`, { token: null })
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** `GET events` with a query such as `sandbox=a&limit=10`. */
export function readEventPage(target: Target, query = ''): Promise<EventPage> {
  return readControl(target, `/events?${query}`)
}

/** Every event of a sandbox, however many pages it takes. */
export async function readAllEvents(target: Target, sandbox = 'default'): Promise<EventPage['events']> {
  const events: EventPage['events'][number][] = []
  for (;;) {
    const page = await readEventPage(target, `sandbox=${sandbox}&offset=${events.length}&limit=10000`)
    events.push(...page.events)
    if (page.events.length === 0 || events.length >= page.total) return events
  }
}

/** `GET prompts`. */
export async function readPrompts(target: Target, sandbox = 'default'): Promise<readonly StoredPrompt[]> {
  return (await readControl<{ prompts: StoredPrompt[] }>(target, `/prompts?sandbox=${sandbox}`)).prompts
}
