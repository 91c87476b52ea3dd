/**
 * `console/`: the console, a web page that calls `/__sim` like any other client. This file mounts the page;
 * `views/index.tsx` lists the views. To add a view, see `docs/development/architecture.md`.
 */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { Shell } from './shell/shell.tsx'
import { keepStreaming } from './store/live.ts'
import { replaceRoute, route } from './store/route.ts'
import { currentView, views } from './views/index.tsx'

if (!views.some(({ name }) => name === route.value.view)) replaceRoute({ view: views[0].name })
keepStreaming()
effect(() => {
  document.title = `${currentView.value.title} · convsim`
})
render(<Shell />, document.body)
