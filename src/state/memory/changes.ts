import type { StoredContent } from '../collections/index.ts'
import { type Change, SandboxData } from './state-data.ts'

/** Returns the JSON of a change without its opening brace. */
export function changeMembers(change: Change): string {
  if (change.op !== 'import') return JSON.stringify(change).slice(1)
  const { state: _, text, ...head } = change
  return `${JSON.stringify(head).slice(1, -1)},"state":${text}}`
}

/** Makes an import of valid content in slices, between which other requests are answered. Its commit is short then. */
export async function createImport(sandbox: string, content: StoredContent): Promise<Change> {
  const state = await SandboxData.of(content)
  return { sandbox, op: 'import', state, text: await state.toText() }
}
