import { computed } from '@preact/signals'
import { route } from '../store/route.ts'
import type { ConsoleView } from '../views/console-view.ts'
import { views } from '../views/index.ts'

/** The view that the address names; the first where it names none that there is. */
export const currentView = computed<ConsoleView>(() => views.find(({ name }) => name === route.value.view) ?? views[0])
