import { useEffect, useRef } from 'preact/hooks'
import { type StreamState, streamState } from '../store/live.ts'
import { hrefOf, sandbox, showSandbox } from '../store/route.ts'
import { ruleChanges } from '../store/rules.ts'
import { clockMode, refreshSandboxes, sandboxNames, sandboxNow } from '../store/server.ts'
import { useResponse } from '../store/use-response.ts'
import { count, formatInstant } from '../ui/text.tsx'
import { currentView, views } from '../views/index.tsx'
import { isKeyListOpen, isPaletteOpen } from './keys.tsx'

/** The head of the page: views, sandbox, clock and connection. */
export function Header() {
  const nav = useRef<HTMLElement>(null)
  const { name: current } = currentView.value
  useEffect(() => {
    // On a narrow page the link of the view may be out of sight.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <header class="page-head bar">
      <a class="brand bar" href={hrefOf({ view: views[0].name })}>
        <svg viewBox="0 0 16 16" width="18" fill="#2b5fab" aria-hidden="true">
          <rect width="16" height="16" rx="4" />
          <path d="M4 10V8m4 2V4m4 6V6" fill="none" stroke="#fff" stroke-linecap="round" stroke-width="2" />
        </svg>
        convsim
      </a>
      <nav ref={nav} aria-label="Views">
        {views.map(({ name, title }) => (
          <a key={name} href={hrefOf({ view: name })} aria-current={name === current ? 'page' : undefined}>
            {title}
            {name === 'scenarios' && sandbox.value !== '*' && <RuleBadge key={sandbox.value} />}
          </a>
        ))}
      </nav>
      <div class="page-state bar last nowrap">
        <SandboxClock />
        <SandboxPicker />
        <Connection />
        <button type="button" class="quiet" onClick={() => (isPaletteOpen.value = true)} title="Palette">
          <kbd>Ctrl K</kbd>
          <span class="hidden"> Palette</span>
        </button>
        <button type="button" class="quiet" onClick={() => (isKeyListOpen.value = true)} title="Keys">
          <kbd>?</kbd>
          <span class="hidden"> Keys</span>
        </button>
      </div>
    </header>
  )
}

/** The number of rules that are on. */
function RuleBadge() {
  const { value, reload } = useResponse('/scenarios', { query: { sandbox: sandbox.value } })
  useEffect(() => void reload(), [ruleChanges.value])
  const rules = [...(value?.rules ?? []), ...(value?.startUp ?? [])].filter(({ enabled }) => enabled !== false)
  if (rules.length === 0) return null
  return (
    <b class="badge pill" title={`${count(rules.length, 'rule')} on`}>
      {rules.length}
    </b>
  )
}

function SandboxPicker() {
  return (
    <label class="picker">
      Sandbox{' '}
      <select
        value={sandbox.value}
        onFocus={() => void refreshSandboxes()}
        onChange={(event) => showSandbox(event.currentTarget.value)}
      >
        {sandboxNames.value.map((name) => (
          <option key={name} value={name} selected={name === sandbox.value}>
            {name}
          </option>
        ))}
        <option value="*" selected={sandbox.value === '*'}>
          all
        </option>
      </select>
    </label>
  )
}

function SandboxClock() {
  if (clockMode.value === undefined) return null
  const name = { real: '', frozen: 'frozen', shifted: 'shifted' }[clockMode.value]
  return (
    <span class="clock faint small" title={`The clock of the sandbox, in UTC${name && `; it is ${name}`}`}>
      {formatInstant(sandboxNow.value)}
      {name && <b> {name}</b>}
    </span>
  )
}

const states: Readonly<Record<StreamState, readonly [word: string, tone: string]>> = {
  connecting: ['Connecting', 'faint'],
  live: ['Live', 'good'],
  paused: ['Hidden', 'faint'],
  offline: ['Offline', 'bad'],
}

const Connection = () => (
  <span
    class={`status small ${states[streamState.value][1]}`}
    role="status"
    title="The stream of requests from the simulator"
  >
    {states[streamState.value][0]}
  </span>
)
