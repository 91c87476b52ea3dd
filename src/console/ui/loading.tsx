import type { Problem } from '../api/ask.ts'
import { Empty } from './empty.tsx'

/** Stands for an answer that has not come yet, or says why there is none. `problem` undefined: it is under way. */
export function Loading({ problem }: { readonly problem: Problem | undefined }) {
  if (problem) return <Empty title="This cannot be shown">{problem.sentence}</Empty>
  return (
    <p class="loading faint" role="status">
      Reading …
    </p>
  )
}
