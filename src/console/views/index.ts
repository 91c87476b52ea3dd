import type { ConsoleView } from './console-view.ts'
import { requestsView } from './requests/requests.tsx'
import { worldView } from './world/world.tsx'

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views = [requestsView, worldView] as const satisfies readonly [ConsoleView, ...ConsoleView[]]
