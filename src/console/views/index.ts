import type { ConsoleView } from './console-view.ts'
import { lazyPage } from './lazy-page.tsx'
import { RequestsPage } from './requests/requests.tsx'

/**
 * The views in the order of the navigation; the first is shown where the address names none. The code of the others is loaded when they are
 * first shown.
 */
export const views = [
  { name: 'requests', title: 'Requests', showsAllSandboxes: true, Page: RequestsPage },
  {
    name: 'retries',
    title: 'Retries',
    showsAllSandboxes: true,
    Page: lazyPage(async () => (await import('./retries/retries.tsx')).RetriesPage),
  },
  {
    name: 'scenarios',
    title: 'Scenarios',
    showsAllSandboxes: false,
    Page: lazyPage(async () => (await import('./scenarios/scenarios.tsx')).ScenariosPage),
  },
  {
    name: 'world',
    title: 'World',
    showsAllSandboxes: false,
    Page: lazyPage(async () => (await import('./world/world.tsx')).WorldPage),
  },
  {
    name: 'prompts',
    title: 'Prompts',
    showsAllSandboxes: false,
    Page: lazyPage(async () => (await import('./prompts/prompts.tsx')).PromptsPage),
  },
  {
    name: 'events',
    title: 'Events',
    showsAllSandboxes: false,
    Page: lazyPage(async () => (await import('./events/events.tsx')).EventsPage),
  },
  {
    name: 'contract',
    title: 'Contract',
    showsAllSandboxes: true,
    Page: lazyPage(async () => (await import('./contract/contract.tsx')).ContractPage),
  },
  {
    name: 'sandboxes',
    title: 'Sandboxes',
    showsAllSandboxes: true,
    Page: lazyPage(async () => (await import('./sandboxes/sandboxes.tsx')).SandboxesPage),
  },
] as const satisfies readonly [ConsoleView, ...ConsoleView[]]
