import { useEffect } from 'preact/hooks'
import { useCommands } from './commands.ts'
import { route } from './route.ts'

/** The list of a view, whose entries are opened by their id in the address. */
export interface KeyedList {
  /** `event`: the commands are named `Next event`, `Search events`. */
  readonly noun: string
  /** The ids of the entries in their order on the page. */
  readonly ids: readonly string[]
  readonly open: (id: string) => void
  readonly field: { readonly current: HTMLInputElement | null }
}

/**
 * Offers the keys of a list for as long as it is shown: `j` and `k` open the next and the previous entry, `/` goes to its search. The link of the
 * open entry, which has `aria-current="true"`, is scrolled into view.
 */
export function useListKeys({ noun, ids, open, field }: KeyedList): void {
  const move = (step: number) => {
    const at = ids.indexOf(route.peek().id ?? '')
    const next = ids[at < 0 ? 0 : at + step]
    if (next !== undefined) open(next)
  }
  useCommands(
    [
      { title: `Next ${noun}`, key: 'j', isKeyOnly: true, run: () => move(1) },
      { title: `Previous ${noun}`, key: 'k', isKeyOnly: true, run: () => move(-1) },
      { title: `Search ${noun}s`, key: '/', run: () => field.current?.focus() },
    ],
    [ids.join()],
  )
  useEffect(() => {
    document.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [route.value.id, ids.length > 0])
}
