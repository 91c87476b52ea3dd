import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { parseRoute, replaceRoute, route } from './route.ts'

export interface PageCommand {
  readonly title: string
  /** A key as browsers name it: `j`, `/`, `Escape`. Absent for commands that only the palette offers. */
  readonly key?: string
  /** True for a command that is useful only as a key; the palette omits it. */
  readonly isKeyOnly?: boolean
  /** True for navigation, which the palette lists after actions. */
  readonly isNavigation?: boolean
  /** More search terms for the command: `delete`. */
  readonly words?: string
  readonly run: () => unknown
}

/** The commands of all visible parts of the page. If two have the same key, the later one wins. */
export const pageCommands = signal<readonly (readonly PageCommand[])[]>([])

/** Offers commands while a component is mounted. `deps`: the values that the commands depend on. */
export function useCommands(commands: readonly PageCommand[], deps: readonly unknown[]): void {
  useEffect(() => {
    pageCommands.value = [...pageCommands.peek(), commands]
    return () => {
      pageCommands.value = pageCommands.peek().filter((others) => others !== commands)
    }
  }, deps)
}

export function commandsByKey(): ReadonlyMap<string, PageCommand> {
  return new Map(
    pageCommands.value.flat().flatMap((command) => (command.key === undefined ? [] : [[command.key, command]])),
  )
}

export interface KeyedList {
  /** `event`: the commands are named `Next event`, `Close the event`. */
  readonly noun: string
  readonly ids: readonly string[]
  /** The state in the address that belongs to the previous entry, to be removed: `{ from: undefined }`. */
  readonly query?: Readonly<Record<string, undefined>>
  /** The id of the entry that is shown if the address names none, if any. */
  readonly shownId?: string | undefined
  readonly canClose?: boolean
}

/**
 * Offers the keys of a list: `j` and `k` open the next and the previous entry, and `Enter` moves the focus into the
 * open one, which has `data-open`. The link with `aria-current` is scrolled into view. When the entry is closed, the
 * focus returns to its link, and `j` continues from there.
 */
export function useListKeys(list: KeyedList): void {
  const { noun, canClose } = list
  // The commands are offered once; they use the list of the latest render.
  const latest = useRef(list)
  latest.current = list
  const closed = useReturnOfFocus()
  const move = (step: number) => {
    const { ids, shownId, query = {} } = latest.current
    const focused = focusedEntry() && parseRoute(focusedEntry()?.hash ?? '').id
    const at = ids.indexOf(focused ?? route.peek().id ?? shownId ?? closed.current?.id ?? '')
    const id = ids[at < 0 ? 0 : at + step]
    if (id !== undefined) replaceRoute({ id, query })
  }
  useCommands(
    [
      { title: `Next ${noun}`, key: 'j', isKeyOnly: true, run: () => move(1) },
      { title: `Previous ${noun}`, key: 'k', isKeyOnly: true, run: () => move(-1) },
      { title: `Focus the open ${noun}`, key: 'Enter', isKeyOnly: true, run: focusOpen },
      ...(canClose ? [{ title: `Close the ${noun}`, key: 'Escape', run: () => replaceRoute({ id: undefined }) }] : []),
    ],
    [],
  )
  const hasEntries = list.ids.length > 0
  useEffect(() => {
    const link = document.querySelector('main [aria-current]')
    // A cell that truncates its text would scroll to the end of a long link.
    const row = link?.closest('tr, li') ?? link
    row?.scrollIntoView({ block: 'nearest' })
    if (focusedEntry()) document.querySelector<HTMLElement>(openLinks)?.focus({ preventScroll: true })
  }, [route.value.id, hasEntries])
}

const openLinks = 'main a[aria-current], main a[aria-expanded=true]'

/** Returns the focused link of a list, if any: `j` continues from there and moves the focus. */
const focusedEntry = () =>
  document.activeElement?.closest<HTMLAnchorElement>('main :is(.rows, .entries, .chain h2) a') ?? undefined

/** Moves the focus from a closed entry to its link. Returns the entry that was opened last. */
function useReturnOfFocus() {
  const opened = useRef<{ id: string; link: HTMLElement | null; part: Element | null } | undefined>(undefined)
  const { id } = route.value
  useEffect(() => {
    if (id !== undefined) {
      const link = document.querySelector<HTMLElement>(openLinks)
      opened.current = { id, link, part: document.querySelector('[data-open]') }
      return
    }
    const { link, part } = opened.current ?? {}
    const active = document.activeElement
    if (link?.isConnected && (active === document.body || part?.contains(active))) link.focus({ preventScroll: true })
  }, [id])
  return opened
}

const focusOpen = () => document.querySelector<HTMLElement>('[data-open]')?.focus()
