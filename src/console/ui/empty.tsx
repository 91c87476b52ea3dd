import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/ask.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { type CurlRequest, formatCurl, sendSample } from './curl.ts'

interface EmptyProps {
  /** The state in a few words: `No requests yet`. */
  readonly title: string
  /** The next step, in a sentence. */
  readonly children?: ComponentChildren
  /** A request that changes this state, shown as a curl line for this very server. */
  readonly curl?: CurlRequest
}

/** A place that has nothing to show yet, with the next step. */
export function Empty({ title, children, curl }: EmptyProps) {
  return (
    <div class="empty stack">
      <h2>{title}</h2>
      {children && <p class="faint breaks">{children}</p>}
      {curl && <CommandLine text={formatCurl(curl)} />}
      {curl && <Button label="Send it" class="primary" onClick={() => void sendSample(curl)} />}
    </div>
  )
}

/** Stands for an answer that has not come yet, or says why there is none. `problem` undefined: it is under way. */
export function Loading({ problem }: { readonly problem: Problem | undefined }) {
  if (problem) return <Empty title="This cannot be shown">{problem.sentence}</Empty>
  return (
    <p class="empty loading faint" role="status">
      Reading …
    </p>
  )
}

/** A line for the shell, with a button that copies it. */
export function CommandLine({ text }: { readonly text: string }) {
  return (
    <div class="command-line box full">
      <code>{text}</code>
      <CopyButton label="Copy" title="Copy the command" text={text} />
    </div>
  )
}
