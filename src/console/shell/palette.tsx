import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type PageCommand, pageCommands } from '../store/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { listActions, useRequestCommands } from './actions.ts'
import { isPaletteOpen, nameKey } from './keys.tsx'

/** The most commands that are listed at a time. */
const maxListed = 12

/** A field that finds everything there is to do, and sandboxes, models, scenarios and recent requests, by words. */
export function Palette() {
  const id = useId()
  const text = useSignal('')
  const at = useSignal(0)
  const requests = useRequestCommands()
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = [...pageCommands.value.flat().filter(({ isKeyOnly }) => !isKeyOnly), ...listActions(), ...requests]
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
    .slice(0, maxListed)
  const run = (command: PageCommand | undefined) => {
    isPaletteOpen.value = false
    // The dialog returns the focus first, so that a command may move it.
    setTimeout(() => command?.run())
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) run(found[at.value])
    else at.value = (at.value + step + found.length) % Math.max(1, found.length)
  }
  const type = (event: Event) => {
    text.value = (event.currentTarget as HTMLInputElement).value
    at.value = 0
  }
  return (
    <Dialog title="Palette" hidesTitle onClose={() => (isPaletteOpen.value = false)}>
      <input
        role="combobox"
        class="full"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${at.value}` : undefined}
        aria-label="Find a command"
        placeholder="Go to, switch on, open, freeze, clear …"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={type}
        onKeyDown={onKey}
      />
      <div id={id} role="listbox" aria-label="Commands" class="palette-list">
        {found.map((command, index) => (
          <div
            key={command.title}
            id={`${id}-${index}`}
            role="option"
            class="bar"
            tabIndex={-1}
            aria-selected={index === at.value}
            onPointerMove={() => (at.value = index)}
            onClick={() => run(command)}
            onKeyDown={onKey}
          >
            {command.title}
            {command.key && <kbd>{nameKey(command.key)}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="faint">No command has these words.</p>}
    </Dialog>
  )
}
