/**
 * The web page, a client of /__sim like any other.
 * This file mounts it; `views/index.tsx` lists the views, and `docs/development/architecture.md` says how to add one.
 */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { Shell } from './shell/shell.tsx'
import { connection, keepStreaming } from './store/live.ts'
import { replaceRoute, route, sandbox } from './store/route.ts'
import { refreshClock, refreshInfo, refreshSandboxes, revisions } from './store/server.ts'
import { currentView, views } from './views/index.tsx'

/** Milliseconds between the readings of clock and sandboxes, which other clients of the control plane change. */
const refreshMs = 5_000

if (!views.some(({ name }) => name === route.value.view)) replaceRoute({ view: views[0].name })
keepStreaming()
effect(() => {
  document.title = `${currentView.value.title} · convsim`
})
effect(() => {
  if (connection.value > 0) void refreshInfo()
})
effect(() => {
  void [sandbox.value, connection.value]
  void refreshSandboxes()
})
effect(() => {
  void [sandbox.value, connection.value, revisions.value]
  void refreshClock()
})
setInterval(() => {
  if (!document.hidden && connection.value > 0) void Promise.all([refreshClock(), refreshSandboxes()])
}, refreshMs)
render(<Shell />, document.body)
