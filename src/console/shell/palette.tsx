import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { catalogue } from '../store/catalogue.ts'
import { type PageCommand, pageCommands } from '../store/commands.ts'
import { showNotice, valueOrNotice } from '../store/notices.ts'
import { navigate, sandbox, showSandbox } from '../store/route.ts'
import { addRule } from '../store/rules.ts'
import { changeClock, sandboxNames } from '../store/server.ts'
import { Dialog } from '../ui/dialog.tsx'
import { clearRequests } from '../views/requests/detail.tsx'
import { describeSubject, findBreak, shortenIds } from '../views/requests/subject.ts'
import { listOffers, titleOf } from '../views/scenarios/rules.ts'
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

/** Reads the latest requests, and returns a command for each that opens it. */
function useRequestCommands(): readonly PageCommand[] {
  const commands = useSignal<readonly PageCommand[]>([])
  useEffect(() => {
    const query = { sandbox: sandbox.peek(), order: 'newest', bodies: true, limit: 100 } as const
    void ask('get', '/requests', { query }).then((asked) => {
      if (asked.ok)
        commands.value = asked.value.requests.map((exchange) => {
          const { id, request, response } = exchange
          const call = `${describeSubject(request.path, request.body)} ${request.method} ${shortenIds(request.path)}`
          return {
            title: `Open ${id}: ${call} ${findBreak(exchange) ?? response.status}`,
            run: () => navigate({ view: 'requests', id }),
          }
        })
    })
  }, [])
  return commands.value
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
      .map((offer) => ({
        title: `Switch on ${titleOf(offer)}`,
        run: () => void switchOn(offer.example),
      })),
  ]
  return [
    { title: 'Clear the requests', run: () => void clearRequests() },
    ...(sandbox.value === '*' ? [] : ofSandbox),
    ...(catalogue.value?.models ?? []).map(({ id, name }) => ({
      title: `Open the model ${name}`,
      run: () => navigate({ view: 'data', id }),
    })),
    { title: 'Show all sandboxes', run: () => showSandbox('*') },
    ...sandboxNames.value.map((name) => ({ title: `Show the sandbox ${name}`, run: () => showSandbox(name) })),
  ]
}

async function moveClock(change: Parameters<typeof changeClock>[0]): Promise<void> {
  const clock = await changeClock(change)
  if (clock) showNotice(`The clock of ${sandbox.peek()} is ${clock.mode} at ${clock.now}.`)
}

async function switchOn(scenario: string): Promise<void> {
  const name = sandbox.peek()
  if (valueOrNotice(await addRule(name, { scenario })))
    showNotice(`${scenario} is on for every request of the sandbox ${name}, before its other rules.`)
}
