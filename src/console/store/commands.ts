import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Something that the user can do by a key, or by its name in the palette. */
export interface PageCommand {
  /** `Pause the list`. */
  readonly title: string
  /** A key as browsers name it: `j`, `/`, `ArrowDown`. Absent: only the palette has the command. */
  readonly key?: string
  /** Is true for a command that is of use only as a key, which the palette leaves out. */
  readonly isKeyOnly?: boolean
  readonly run: () => void
}

/** The commands of all parts of the page that are shown; later ones win where two have the same key. */
export const pageCommands = signal<readonly (readonly PageCommand[])[]>([])

/** Offers commands for as long as a component is shown. `deps`: the values that the commands depend on. */
export function useCommands(commands: readonly PageCommand[], deps: readonly unknown[]): void {
  useEffect(() => {
    pageCommands.value = [...pageCommands.peek(), commands]
    return () => {
      pageCommands.value = pageCommands.peek().filter((others) => others !== commands)
    }
  }, deps)
}

/** Returns the commands by key, those of the view after those of the whole page. */
export function commandsByKey(): ReadonlyMap<string, PageCommand> {
  return new Map(
    pageCommands.value.flat().flatMap((command) => (command.key === undefined ? [] : [[command.key, command]])),
  )
}
