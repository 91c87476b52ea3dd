import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { parseRoute, replaceRoute, route } from './route.ts'

export interface PageCommand {
  readonly title: string
  /** The shortcut, a `KeyboardEvent.key` value: `j`, `/`, `Escape`. Absent if only the palette offers the command. */
  readonly key?: string
  /** True for a command that is useful only as a keyboard shortcut; the palette omits it. */
  readonly isKeyOnly?: boolean
  /** True for navigation. Among equally good matches, the palette lists actions before navigation. */
  readonly isNavigation?: boolean
  /** Additional search terms for the command: `delete`. */
  readonly words?: string
  readonly run: () => unknown
}

/** The commands of all visible parts of the page. If two commands have the same key, the later one wins. */
export const pageCommands = signal<readonly (readonly PageCommand[])[]>([])

/** Offers commands while a component is mounted. `deps`: the values that the commands depend on. */
export function useCommands(commands: readonly PageCommand[], deps: readonly unknown[]): void {
  useEffect(() => {
    pageCommands.value = [...pageCommands.peek(), commands]
    return () => {
      pageCommands.value = pageCommands.peek().filter((list) => list !== commands)
    }
  }, deps)
}

export function commandsByKey(): ReadonlyMap<string, PageCommand> {
  return new Map(
    pageCommands.value.flat().flatMap((command) => (command.key === undefined ? [] : [[command.key, command]])),
  )
}

export interface KeyedList {
  /** The noun in the titles of the commands: `event` in `Next event` and `Close the event`. */
  readonly noun: string
  readonly ids: readonly string[]
  /** State in the URL that belongs to the previous entry and must be removed: `{ from: undefined }`. */
  readonly query?: Readonly<Record<string, undefined>>
  /** The ID of the entry that is shown if the URL does not name an entry. */
  readonly shownId?: string | undefined
  readonly canClose?: boolean
}

/**
 * Offers a list's keyboard shortcuts: `j` and `k` open the next and the previous entry, `Enter` focuses the open entry,
 * which has `data-open`, and `Escape` closes the entry if `canClose`. Scrolls the link with `aria-current` into view.
 * If a closed entry had the focus, the focus returns to the entry's link, and `j` and `k` continue from that link.
 */
export function useListKeys(list: KeyedList): void {
  const { noun, canClose } = list
  // The commands are registered once and use the list from the latest render.
  const latest = useRef(list)
  latest.current = list
  const lastOpened = useFocusReturn()
  const move = (step: number) => {
    const { ids, shownId, query = {} } = latest.current
    const focused = findFocusedLink() && parseRoute(findFocusedLink()?.hash ?? '').id
    const at = ids.indexOf(focused ?? route.peek().id ?? shownId ?? lastOpened.current?.id ?? '')
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
    // Scrolling to the link itself would move a long link within a cell that truncates its text.
    const row = link?.closest('tr, li') ?? link
    row?.scrollIntoView({ block: 'nearest' })
    if (findFocusedLink()) document.querySelector<HTMLElement>(openLinks)?.focus({ preventScroll: true })
  }, [route.value.id, hasEntries])
}

const openLinks = 'main a[aria-current], main a[aria-expanded=true]'

/** Returns the focused link in a list, if any. `j` and `k` start from that link and move the focus. */
const findFocusedLink = () =>
  document.activeElement?.closest<HTMLAnchorElement>('main :is(.rows, .entries, .chain h2) a') ?? undefined

/** When an entry with the focus is closed, focuses the entry's link. Returns a reference to the last opened entry. */
function useFocusReturn() {
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
