import type { VNode } from 'preact'
import type { ConsoleView } from './console-view.ts'
import { lazyPage } from './lazy-page.tsx'
import { RequestsPage } from './requests/requests.tsx'

/** Returns a view whose code is loaded when it is first shown. */
const view = (title: string, showsAllSandboxes: boolean, load: () => Promise<() => VNode>): ConsoleView => ({
  name: title.toLowerCase(),
  title,
  showsAllSandboxes,
  Page: lazyPage(load),
})

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views: readonly [ConsoleView, ...ConsoleView[]] = [
  { name: 'requests', title: 'Requests', showsAllSandboxes: true, Page: RequestsPage },
  view('Retries', true, async () => (await import('./retries/retries.tsx')).RetriesPage),
  view('Scenarios', false, async () => (await import('./scenarios/scenarios.tsx')).ScenariosPage),
  view('World', false, async () => (await import('./world/world.tsx')).WorldPage),
  view('Prompts', false, async () => (await import('./prompts/prompts.tsx')).PromptsPage),
  view('Events', false, async () => (await import('./events/events.tsx')).EventsPage),
  view('Contract', true, async () => (await import('./contract/contract.tsx')).ContractPage),
  view('Sandboxes', true, async () => (await import('./sandboxes/sandboxes.tsx')).SandboxesPage),
]
