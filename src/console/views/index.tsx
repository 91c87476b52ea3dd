import { computed } from '@preact/signals'
import type { VNode } from 'preact'
import { route } from '../store/route.ts'
import { ContractPage } from './contract/contract.tsx'
import { DataPage } from './data/data.tsx'
import { EventsPage } from './events/events.tsx'
import { PromptsPage } from './prompts/prompts.tsx'
import { RequestsPage } from './requests/requests.tsx'
import { RetriesPage } from './retries/retries.tsx'
import { SandboxesPage } from './sandboxes/sandboxes.tsx'
import { ScenariosPage } from './scenarios/scenarios.tsx'

/** `showsAllSandboxes`: it can show all sandboxes at once. Other views ask the user to pick one. */
const view = (title: string, showsAllSandboxes: boolean, Page: () => VNode) => ({
  name: title.toLowerCase(),
  title,
  showsAllSandboxes,
  Page,
})

/** The views in the order of the navigation; the first is shown where the address names none. */
export const views = [
  view('Requests', true, RequestsPage),
  view('Retries', true, RetriesPage),
  view('Scenarios', false, ScenariosPage),
  view('Data', false, DataPage),
  view('Prompts', false, PromptsPage),
  view('Events', false, EventsPage),
  view('Contract', true, ContractPage),
  view('Sandboxes', true, SandboxesPage),
] as const

export const currentView = computed(() => views.find(({ name }) => name === route.value.view) ?? views[0])
