import type { ConsoleView } from './console-view.ts'
import { contractView } from './contract/contract.tsx'
import { eventsView } from './events/events.tsx'
import { promptsView } from './prompts/prompts.tsx'
import { requestsView } from './requests/requests.tsx'
import { retriesView } from './retries/retries.tsx'
import { sandboxesView } from './sandboxes/sandboxes.tsx'
import { scenariosView } from './scenarios/scenarios.tsx'
import { worldView } from './world/world.tsx'

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views = [
  requestsView,
  retriesView,
  scenariosView,
  worldView,
  promptsView,
  eventsView,
  contractView,
  sandboxesView,
] as const satisfies readonly [ConsoleView, ...ConsoleView[]]
