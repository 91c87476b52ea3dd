import { signal } from '@preact/signals'
import { commandsByKey } from '../store/commands.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** True while the list of keys is shown. */
export const isKeyListOpen = signal(false)

/** True while the palette is shown. */
export const isPaletteOpen = signal(false)

addEventListener('keydown', onKey)

/** Runs commands by their keys. Keys that a field or the browser needs are left alone; Escape leaves a field. */
function onKey(event: KeyboardEvent): void {
  if (isPaletteKey(event)) {
    event.preventDefault()
    togglePalette()
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (isDialogOpen()) return
  if (takesText(event.target)) {
    if (event.key === 'Escape') event.target.blur()
    return
  }
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest(pressed)) return
  const command = commandsByKey().get(event.key)
  if (!command) return
  event.preventDefault()
  command.run()
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey

/** Opens or closes the palette. Another dialog, such as a question, is closed first. */
function togglePalette(): void {
  if (isPaletteOpen.value || !isDialogOpen()) isPaletteOpen.value = !isPaletteOpen.value
}

const isDialogOpen = () => document.querySelector('dialog[open]') !== null

const textInputs = 'input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]'

/** The elements that `Enter` presses. */
const pressed = 'a, button, summary, input'

const takesText = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.matches(textInputs)

const names: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' }

/** Returns the name of a key as it stands on a keyboard: `Esc`. */
export const nameKey = (key: string) => names[key] ?? key

/** The list of all keys that do something on this page. */
export function KeyList() {
  const commands = [...commandsByKey()]
  return (
    <Dialog title="Keys" onClose={() => (isKeyListOpen.value = false)}>
      <dl class="pairs">
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </dt>
          <dd>Open the palette of everything there is to do</dd>
        </div>
        {commands.map(([key, { title }]) => (
          <div key={key}>
            <dt>
              <kbd>{nameKey(key)}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <p class="actions bar">
        <Button label="Close" onClick={() => (isKeyListOpen.value = false)} />
      </p>
    </Dialog>
  )
}
