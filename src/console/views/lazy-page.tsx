import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Problem } from '../api/ask.ts'
import { Loading } from '../ui/loading.tsx'

const problem: Problem = {
  status: undefined,
  sentence:
    'The code of this view cannot be loaded. Is the simulator running, and of the same version? Reload the page.',
}

/** Creates the page of a view whose code is loaded when the view is first shown. A failed loading is tried again when it is shown again. */
export function lazyPage(load: () => Promise<() => VNode>): () => VNode {
  const loaded = signal<{ readonly Page?: () => VNode; readonly problem?: Problem }>({})
  return function LazyPage() {
    useEffect(() => {
      if (loaded.value.Page) return
      load().then(
        (Page) => (loaded.value = { Page }),
        () => (loaded.value = { problem }),
      )
    }, [])
    const { Page } = loaded.value
    return Page ? <Page /> : <Loading problem={loaded.value.problem} />
  }
}
