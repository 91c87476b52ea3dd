import type { ControlSchemas } from '../../src/client/transport.ts'
import type { StoredEvent, StoredPrompt } from '../../src/state/records.ts'
import { callControl } from './control.ts'
import type { TestSimulator } from './start.ts'

type Target = Pick<TestSimulator, 'origin'>

/** Reads a control-plane resource. The caller specifies the type of the response. Throws unless the status is 200. */
export async function readControl<T>(target: Target, path: string): Promise<T> {
  return (await callControl(target, 'GET', path)) as T
}

/** Reads a page of stored events, as in `readEventPage(sim, 'sandbox=a&limit=10')`. */
export function readEventPage(target: Target, query = ''): Promise<{ events: StoredEvent[]; total: number }> {
  return readControl(target, `/events?${query}`)
}

/** Reads all stored events in a sandbox, page by page. */
export async function readAllEvents(target: Target, sandbox = 'default'): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = await readEventPage(target, `sandbox=${sandbox}&offset=${events.length}&limit=10000`)
    events.push(...page.events)
    if (page.events.length === 0 || events.length >= page.total) return events
  }
}

/** Lists the sandboxes of a simulator. */
export async function listSandboxes(target: Target): Promise<readonly ControlSchemas['Sandbox'][]> {
  return (await readControl<{ sandboxes: ControlSchemas['Sandbox'][] }>(target, '/sandboxes')).sandboxes
}

/** Reads the retry report for a sandbox. */
export const readRetries = (target: Target, sandbox = 'default'): Promise<ControlSchemas['Retries']> =>
  readControl(target, `/retries?sandbox=${sandbox}&limit=100`)

/** Lists recorded requests, as in `listRequests(sim, 'sandbox=a&bodies=true')`. */
export async function listRequests(target: Target, query = ''): Promise<readonly ControlSchemas['Exchange'][]> {
  return (await readControl<ControlSchemas['RequestPage']>(target, `/requests?${query}`)).requests
}

/** Reads all stored prompts in a sandbox. */
export async function readPrompts(target: Target, sandbox = 'default'): Promise<readonly StoredPrompt[]> {
  return (await readControl<{ prompts: StoredPrompt[] }>(target, `/prompts?sandbox=${sandbox}`)).prompts
}
