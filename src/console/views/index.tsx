import { computed, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Problem } from '../api/ask.ts'
import { connection } from '../store/live.ts'
import { route } from '../store/route.ts'
import { Loading } from '../ui/empty.tsx'
import { RequestsPage } from './requests/requests.tsx'

/** A view of the console, with an entry in the navigation. */
interface ConsoleView {
  /** The name in the address: `requests`. */
  readonly name: string
  /** The name on the page: `Requests`. */
  readonly title: string
  /** Is true for a view that can show all sandboxes at once. Others ask the user to pick one. */
  readonly showsAllSandboxes: boolean
  readonly Page: () => VNode
}

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
  view('Data', false, async () => (await import('./data/data.tsx')).DataPage),
  view('Prompts', false, async () => (await import('./prompts/prompts.tsx')).PromptsPage),
  view('Events', false, async () => (await import('./events/events.tsx')).EventsPage),
  view('Contract', true, async () => (await import('./contract/contract.tsx')).ContractPage),
  view('Sandboxes', true, async () => (await import('./sandboxes/sandboxes.tsx')).SandboxesPage),
]

/** The view that the address names; the first where it names none that there is. */
export const currentView = computed<ConsoleView>(() => views.find(({ name }) => name === route.value.view) ?? views[0])

const problem: Problem = {
  status: undefined,
  sentence:
    'The code of this view cannot be loaded. It comes when the simulator returns again; ' +
    'if that is of another version now, reload the page.',
}

/** Creates the page of a view whose code is loaded when first shown, and tried again at a new connection. */
function lazyPage(load: () => Promise<() => VNode>): () => VNode {
  const loaded = signal<{ readonly Page?: () => VNode; readonly problem?: Problem }>({})
  return function LazyPage() {
    useEffect(() => {
      if (loaded.value.Page) return
      load().then(
        (Page) => (loaded.value = { Page }),
        () => (loaded.value = { problem }),
      )
    }, [connection.value])
    const { Page } = loaded.value
    return Page ? <Page /> : <Loading problem={loaded.value.problem} />
  }
}
