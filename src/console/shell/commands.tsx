import { signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { commandsByKey, type PageCommand, pageCommands } from '../store/commands.ts'
import { showNotice } from '../store/notices.ts'
import { navigate, sandbox, showSandbox } from '../store/route.ts'
import { addRule, catalogue, change, changeClock, sandboxNames } from '../store/server.ts'
import { useResponse } from '../store/use-response.ts'
import { Button } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { hasWords } from '../ui/text.tsx'
import { clearRequests } from '../views/requests/detail.tsx'
import { describeSubject, findBreak, shortenIds } from '../views/requests/subject.ts'
import { listOffers, titleOf } from '../views/scenarios/rules.ts'

/** A field that finds everything there is to do, and sandboxes, models, scenarios and recent requests, by words. */
export function Palette() {
  const id = useId()
  const text = useSignal('')
  const at = useSignal(0)
  const requests = useRequestCommands()
  const found = [...pageCommands.value.flat().filter(({ isKeyOnly }) => !isKeyOnly), ...listActions(), ...requests]
    .filter(({ title }) => hasWords(title, text.value))
    .slice(0, 12)
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
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          at.value = 0
        }}
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

function useRequestCommands(): readonly PageCommand[] {
  const query = { sandbox: sandbox.value, order: 'newest', bodies: true, limit: 100 } as const
  const { requests = [] } = useResponse('/requests', { query }).value ?? {}
  return requests.map((exchange) => {
    const { id, request, response } = exchange
    const { method, path, body } = request
    const call = `${describeSubject(path, body)} ${method} ${shortenIds(path)}`
    const title = `Open ${id}: ${call} ${findBreak(exchange) ?? response.status}`
    return { title, run: () => navigate({ view: 'requests', id }) }
  })
}

/** Lists what can be done from every view. A clock and rules belong to one sandbox. */
function listActions(): readonly PageCommand[] {
  const ofSandbox: readonly PageCommand[] = [
    ...(['frozen', 'real'] as const).map((mode) => ({
      title: mode === 'frozen' ? 'Freeze the clock' : 'Let the clock run as the machine’s does',
      run: () => void moveClock({ mode }),
    })),
    ...['1 minute', '1 hour', '1 day'].map((span) => ({
      title: `Move the clock forward by ${span}`,
      run: () => void moveClock({ by: span.replace(/ (.).*/, '$1') }),
    })),
    ...listOffers()
      .filter(({ freeText }) => !freeText)
      .map((offer) => ({ title: `Switch on ${titleOf(offer)}`, run: () => switchOn(offer.example) })),
  ]
  return [
    { title: 'Clear the requests', run: clearRequests },
    ...(sandbox.value === '*' ? [] : ofSandbox),
    ...catalogue.value.models.map(({ id, name }) => ({
      title: `Open the model ${name}`,
      run: () => navigate({ view: 'data', id, query: { as: undefined } }),
    })),
    { title: 'Show all sandboxes', run: () => showSandbox('*') },
    ...sandboxNames.value.map((name) => ({ title: `Show the sandbox ${name}`, run: () => showSandbox(name) })),
  ]
}

async function moveClock(body: Parameters<typeof changeClock>[0]): Promise<void> {
  const clock = await changeClock(body)
  if (clock) showNotice(`The clock of ${sandbox.peek()} is ${clock.mode} at ${clock.now}.`)
}

function switchOn(scenario: string): void {
  const name = sandbox.peek()
  const sentence = `${scenario} is on for every request of the sandbox ${name}, before its other rules.`
  void change(addRule(name, { scenario }), sentence)
}

export const isKeyListOpen = signal(false)

export const isPaletteOpen = signal(false)

addEventListener('keydown', onKey)

/** Runs commands by their keys. Keys that a field or the browser needs are left alone; Escape leaves a field. */
function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (isPaletteKey(event)) {
    event.preventDefault()
    if (isPaletteOpen.value || !isDialogOpen()) isPaletteOpen.value = !isPaletteOpen.value
    return
  }
  if (ctrlKey || metaKey || altKey || defaultPrevented || isDialogOpen()) return
  if (takesText(event.target)) {
    if (key === 'Escape') event.target.blur()
    return
  }
  if (key === 'Enter' && event.target instanceof Element && event.target.closest('a, button, summary, input')) return
  const command = commandsByKey().get(key)
  if (!command) return
  event.preventDefault()
  command.run()
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey

const isDialogOpen = () => document.querySelector('dialog[open]') !== null

const takesText = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.matches('input:not([type=checkbox], [type=range]), select')

const nameKey = (key: string) => (key === 'Escape' ? 'Esc' : key)

export function KeyList() {
  const commands = [...commandsByKey()].map(([key, { title }]) => [nameKey(key), title] as const)
  return (
    <Dialog title="Keys" onClose={() => (isKeyListOpen.value = false)}>
      <dl class="pairs">
        {[['Ctrl K', 'Open the palette of everything there is to do'] as const, ...commands].map(([key, title]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <p class="bar">
        <Button label="Close" class="last" onClick={() => (isKeyListOpen.value = false)} />
      </p>
    </Dialog>
  )
}
