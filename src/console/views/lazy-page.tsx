import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Problem } from '../api/ask.ts'
import { connection } from '../store/live.ts'
import { Loading } from '../ui/empty.tsx'

const problem: Problem = {
  status: undefined,
  sentence:
    'The code of this view cannot be loaded. It comes when the simulator answers again; ' +
    'if that is of another version now, reload the page.',
}

/** Creates the page of a view whose code is loaded when first shown, and tried again at a new connection. */
export function lazyPage(load: () => Promise<() => VNode>): () => VNode {
  const loaded = signal<{ readonly Page?: () => VNode; readonly problem?: Problem }>({})
  return function LazyPage() {
    useEffect(() => {
      if (loaded.value.Page) return
      load().then(
        (Page) => (loaded.value = { Page }),
        () => (loaded.value = { problem }),
      )
    }, [connection.value])
    const { Page } = loaded.value
    return Page ? <Page /> : <Loading problem={loaded.value.problem} />
  }
}
