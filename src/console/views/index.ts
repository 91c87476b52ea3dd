import type { ConsoleView } from './console-view.ts'
import { contractView } from './contract/contract.tsx'
import { requestsView } from './requests/requests.tsx'
import { retriesView } from './retries/retries.tsx'

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views = [requestsView, retriesView, contractView] as const satisfies readonly [
  ConsoleView,
  ...ConsoleView[],
]
