import type { VNode } from 'preact'

/** A view of the console, with an entry in the navigation. */
export interface ConsoleView {
  /** The name in the address: `requests`. */
  readonly name: string
  /** The name on the page: `Requests`. */
  readonly title: string
  /** Is true for a view that can show all sandboxes at once. Others ask the user to pick one. */
  readonly showsAllSandboxes: boolean
  readonly Page: () => VNode
}
