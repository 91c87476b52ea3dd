import type { ConsoleView } from './console-view.ts'
import { requestsView } from './requests/requests.tsx'
import { sandboxesView } from './sandboxes/sandboxes.tsx'
import { scenariosView } from './scenarios/scenarios.tsx'

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views = [requestsView, scenariosView, sandboxesView] as const satisfies readonly [
  ConsoleView,
  ...ConsoleView[],
]
