import { computed } from '@preact/signals'
import type { VNode } from 'preact'
import { route } from '../store/route.ts'
import { useLiveRequest } from '../store/use-response.ts'
import { Loading } from '../ui/empty.tsx'
import { RequestsPage } from './requests/requests.tsx'

/** Returns a view. If `showsAllSandboxes` is false, the view can show only one sandbox at a time. */
const view = (title: string, showsAllSandboxes: boolean, Page: () => VNode) => ({
  name: title.toLowerCase(),
  title,
  showsAllSandboxes,
  Page,
})

/** Returns a view whose script is loaded on demand, so that the page itself loads faster. */
const lazyView = (title: string, showsAllSandboxes: boolean, load: () => Promise<() => VNode>) =>
  view(title, showsAllSandboxes, function LazyPage() {
    const { value: Page, problem } = useLiveRequest(title, () => load().then((value) => ({ value }), onFailure))
    return Page ? <Page /> : <Loading problem={problem} />
  })

const onFailure = () => ({ problem: { sentence: 'Loading failed. If the simulator was updated, reload the page.' } })

/** The views in navigation order; the first view is the default. */
export const views = [
  view('Requests', true, RequestsPage),
  lazyView('Retries', true, async () => (await import('./retries/retries.tsx')).RetriesPage),
  lazyView('Scenarios', false, async () => (await import('./scenarios/scenarios.tsx')).ScenariosPage),
  lazyView('Data', false, async () => (await import('./data/data.tsx')).DataPage),
  lazyView('Prompts', false, async () => (await import('./prompts/prompts.tsx')).PromptsPage),
  lazyView('Events', false, async () => (await import('./events/events.tsx')).EventsPage),
  lazyView('Contract', true, async () => (await import('./contract/contract.tsx')).ContractPage),
  lazyView('Sandboxes', true, async () => (await import('./sandboxes/sandboxes.tsx')).SandboxesPage),
] as const

export const currentView = computed(() => views.find(({ name }) => name === route.value.view) ?? views[0])
