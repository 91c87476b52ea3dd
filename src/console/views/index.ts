import type { ConsoleView } from './console-view.ts'
import { eventsView } from './events/events.tsx'
import { promptsView } from './prompts/prompts.tsx'
import { requestsView } from './requests/requests.tsx'

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views = [requestsView, promptsView, eventsView] as const satisfies readonly [
  ConsoleView,
  ...ConsoleView[],
]
