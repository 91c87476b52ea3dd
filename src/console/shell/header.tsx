import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { streamState } from '../store/live.ts'
import { hrefOf, sandbox, showSandbox } from '../store/route.ts'
import { clockMode, refreshSandboxes, sandboxNames, sandboxNow } from '../store/server.ts'
import { changeTheme, theme } from '../store/theme.ts'
import { useResponse } from '../store/use-response.ts'
import { Button, Select } from '../ui/controls.tsx'
import { formatInstant, pluralize } from '../ui/text.tsx'
import { currentView, views } from '../views/index.tsx'
import { isHelpOpen, isPaletteOpen } from './commands.tsx'

export function Header() {
  const { name: current } = currentView.value
  const [word, tone] = states[streamState.value]
  useEffect(scrollToCurrent, [current])
  return (
    <header class="page-head bar">
      <Button label="Skip to content" class="hidden" onClick={() => document.querySelector('main')?.focus()} />
      <a class="brand bar" href={hrefOf({ view: views[0].name })}>
        convsim
      </a>
      <nav aria-label="Views">
        {views.map(({ name, title }) => (
          <a key={name} href={hrefOf({ view: name })} aria-current={name === current ? 'page' : undefined}>
            {title}
            {name === 'scenarios' && sandbox.value !== '*' && <RuleBadge key={sandbox.value} />}
          </a>
        ))}
      </nav>
      <div class="page-state bar last nowrap">
        <SandboxClock />
        <label class="picker">
          Sandbox{' '}
          <Select
            value={sandbox.value}
            options={[...sandboxNames.value.map((name) => [name, name] as const), ['*', 'all']]}
            choose={showSandbox}
            onFocus={refreshSandboxes}
          />
        </label>
        <span class={`status small ${tone}`} role="status" title="Connection to the simulator’s stream of requests">
          {word}
        </span>
        <Opener name="Command palette" shortcut="Ctrl K" isOpen={isPaletteOpen} />
        <Opener name="Keyboard shortcuts and documentation" shortcut="?" isOpen={isHelpOpen} />
        <Button
          label="◐"
          class="quiet"
          title={`Theme: ${theme.value.replace('light dark', 'system setting')}`}
          onClick={changeTheme}
        />
      </div>
    </header>
  )
}

/** Scrolls to the current view's link, which may be out of view on a narrow page. */
const scrollToCurrent = () =>
  document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })

const Opener = ({ name, shortcut, isOpen }: { name: string; shortcut: string; isOpen: Signal<boolean> }) => (
  <button type="button" class="quiet" onClick={() => (isOpen.value = true)} title={name}>
    <kbd>{shortcut}</kbd>
    <span class="hidden"> {name}</span>
  </button>
)

function RuleBadge() {
  const { value } = useResponse('/scenarios', { query: { sandbox: sandbox.value } })
  const rules = [...(value?.rules ?? []), ...(value?.startup ?? [])].filter(({ enabled }) => enabled !== false)
  useEffect(scrollToCurrent, [rules.length])
  if (rules.length === 0) return null
  return (
    <b class="badge pill" title={pluralize(rules.length, 'enabled rule')}>
      {rules.length}
    </b>
  )
}

function SandboxClock() {
  if (clockMode.value === undefined) return null
  const name = { real: '', frozen: 'frozen', shifted: 'shifted' }[clockMode.value]
  return (
    <span class="clock faint small" title={`The sandbox’s clock${name && ` (${name})`}`}>
      {formatInstant(sandboxNow.value)} UTC
      {name && <b> {name}</b>}
    </span>
  )
}

const states = {
  connecting: ['Connecting', 'faint'],
  live: ['Live', 'good'],
  paused: ['Paused', 'faint'],
  offline: ['Offline', 'bad'],
} as const
