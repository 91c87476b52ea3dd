import { signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { commandsByKey, type PageCommand, pageCommands } from '../store/commands.ts'
import { showNotice } from '../store/notices.ts'
import { navigate, sandbox, showSandbox } from '../store/route.ts'
import { addRule, catalogue, change, changeClock, sandboxNames } from '../store/server.ts'
import { changeTheme } from '../store/theme.ts'
import { useResponse } from '../store/use-response.ts'
import { Button } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Pairs } from '../ui/table.tsx'
import { hasWords } from '../ui/text.tsx'
import { clearRequests } from '../views/requests/detail.tsx'
import { listDownloads } from '../views/requests/downloads.ts'
import { describeSubject, findBreak, shortenIds } from '../views/requests/subject.ts'
import { listRuleChoices, removeAllRules, titleOf } from '../views/scenarios/rules.ts'

/** The command palette: finds commands, sandboxes, models, scenarios and recent requests. */
export function Palette() {
  const id = useId()
  const text = useSignal('')
  const selectedIndex = useSignal(0)
  const requests = useRequestCommands()
  const found = [...pageCommands.value.flat(), ...listGeneralCommands(), ...requests]
    .filter(({ title, words = '', isKeyOnly }) => !isKeyOnly && hasWords(`${title} ${words}`, text.value))
    .toSorted((one, other) => rankOf(one, text.value) - rankOf(other, text.value))
    .slice(0, 12)
  const run = (command: PageCommand | undefined) => {
    isPaletteOpen.value = false
    // The dialog restores the focus before the command runs, so that the command can move the focus.
    setTimeout(() => command?.run())
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) run(found[selectedIndex.value])
    else selectedIndex.value = (selectedIndex.value + step + found.length) % Math.max(1, found.length)
  }
  return (
    <Dialog title="Command palette" hidesTitle onClose={() => (isPaletteOpen.value = false)}>
      <input
        role="combobox"
        class="full"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${selectedIndex.value}` : undefined}
        aria-label="Find a command"
        placeholder="Reset, export, switch on, freeze, clear, go to, open…"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          selectedIndex.value = 0
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
            aria-selected={index === selectedIndex.value}
            onPointerMove={() => (selectedIndex.value = index)}
            onClick={() => run(command)}
            onKeyDown={onKey}
          >
            {command.title}
            {command.key && <kbd>{nameKey(command.key)}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="faint">No command matches.</p>}
    </Dialog>
  )
}

/** Returns a rank: titles that begin with the search text come first; within each group, navigation comes last. */
const rankOf = ({ title, isNavigation = false }: PageCommand, text: string) =>
  (text !== '' && title.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 2) + Number(isNavigation)

function useRequestCommands(): readonly PageCommand[] {
  const query = { sandbox: sandbox.value, order: 'newest', bodies: true, limit: 100 } as const
  const { requests = [] } = useResponse('/requests', { query }).value ?? {}
  return requests.map((exchange) => {
    const { id, request, response } = exchange
    const { method, path, body } = request
    const description = `${describeSubject(path, body)} ${method} ${shortenIds(path)}`
    const title = `Open ${id}: ${description} ${findBreak(exchange) ?? response.status}`
    return { title, isNavigation: true, run: () => navigate({ view: 'requests', id }) }
  })
}

/** Lists the commands that do not depend on the view. Some are listed only if a single sandbox is selected. */
function listGeneralCommands(): readonly PageCommand[] {
  const name = sandbox.value
  const sandboxCommands: readonly PageCommand[] = [
    sandboxCommand(`Reset the sandbox ${name}`, ({ resetSandbox }) => resetSandbox(name)),
    sandboxCommand(`Take a snapshot of the sandbox ${name}`, ({ takeSnapshot }) => takeSnapshot(name, '')),
    sandboxCommand(`Export the sandbox ${name}`, ({ downloadExport }) => downloadExport(name)),
    { title: 'Remove all rules', words: 'delete switch off', run: () => void removeAllRules() },
    ...(['frozen', 'real'] as const).map((mode) => ({
      title: mode === 'frozen' ? 'Freeze the clock' : 'Use the machine’s clock',
      run: () => void adjustClock({ mode }),
    })),
    ...['1 minute', '1 hour', '1 day'].map((span) => ({
      title: `Move the clock forward by ${span}`,
      run: () => void adjustClock({ by: span.replace(/ (.).*/, '$1') }),
    })),
    ...listRuleChoices()
      .filter(({ freeText }) => !freeText)
      .map((choice) => ({ title: `Switch on ${titleOf(choice)}`, run: () => switchOn(choice.example) })),
  ]
  const deletable = sandboxNames.value.filter((one) => one !== 'default')
  return [
    { title: 'Clear the requests', words: 'delete remove', run: () => void clearRequests() },
    ...listDownloads(),
    ...(name === '*' ? [] : sandboxCommands),
    ...deletable.map((one) => sandboxCommand(`Delete the sandbox ${one}`, (actions) => actions.deleteSandbox(one))),
    { title: 'Change the theme: light, dark or system', words: 'theme', run: changeTheme },
    ...catalogue.value.models.map(({ id, name }) => ({
      title: `Open the model ${name}`,
      isNavigation: true,
      run: () => navigate({ view: 'data', id, query: { as: undefined } }),
    })),
    { title: 'Show all sandboxes', isNavigation: true, run: () => showSandbox('*') },
    ...sandboxNames.value.map((one) => ({
      title: `Show the sandbox ${one}`,
      isNavigation: true,
      run: () => showSandbox(one),
    })),
  ]
}

type SandboxActions = typeof import('../views/sandboxes/sandbox-detail.tsx')

/** Returns a command whose action is loaded on demand, from the script for the Sandboxes view. */
const sandboxCommand = (title: string, run: (actions: SandboxActions) => unknown): PageCommand => ({
  title,
  run: async () => run(await import('../views/sandboxes/sandbox-detail.tsx')),
})

async function adjustClock(body: Parameters<typeof changeClock>[0]): Promise<void> {
  const clock = await changeClock(body)
  if (clock) showNotice(`The clock of the sandbox ${sandbox.peek()} now shows ${clock.now} (${clock.mode}).`)
}

function switchOn(scenario: string): void {
  const name = sandbox.peek()
  const sentence = `Switched on ${scenario} in the sandbox ${name}, as the first rule.`
  void change(addRule(name, { scenario }), sentence)
}

export const isHelpOpen = signal(false)

export const isPaletteOpen = signal(false)

addEventListener('keydown', onKey)

/** Toggles the palette or runs a command. Ignores keys that a field or the browser needs. Escape leaves a field. */
function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (isPaletteKey(event)) {
    event.preventDefault()
    if (isPaletteOpen.value || !isDialogOpen()) isPaletteOpen.value = !isPaletteOpen.value
    return
  }
  if (ctrlKey || metaKey || altKey || defaultPrevented || isDialogOpen()) return
  if (takesKeys(event.target)) {
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

const takesKeys = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.matches('input:not([type=checkbox], [type=range]), select')

const nameKey = (key: string) => (key === 'Escape' ? 'Esc' : key)

const pages = 'front-end scenarios sandboxes requests-and-reports retries testing settings troubleshooting'.split(' ')

const withKey = ([key, title]: readonly string[]) => [<kbd key="key">{key}</kbd>, title]

export function Help() {
  const commands = [...commandsByKey()].map(([key, { title }]) => [nameKey(key), title])
  return (
    <Dialog title="Keyboard shortcuts and documentation" onClose={() => (isHelpOpen.value = false)}>
      <Pairs rows={[['Ctrl K', 'Open the command palette'], ...commands].map(withKey)} />
      <h3>Documentation</h3>
      <p class="wraps">
        {pages.map((name) => (
          <a key={name} href={`docs/${name}.md`} target="_blank" rel="noreferrer">
            {name.replaceAll('-', ' ')}
          </a>
        ))}
      </p>
      <p class="bar">
        <Button label="Close" class="last" onClick={() => (isHelpOpen.value = false)} />
      </p>
    </Dialog>
  )
}
