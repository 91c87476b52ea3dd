import { ask } from '../../api/ask.ts'
import { showNotice, valueOrNotice } from '../../store/notices.ts'
import { askOnce } from '../../store/question.ts'
import { sandbox } from '../../store/route.ts'
import { count } from '../../ui/text.ts'

/** Deletes the recorded requests of the sandbox that is shown, after a question. */
export async function clearRequests(): Promise<void> {
  const name = sandbox.peek()
  const whose = name === '*' ? 'all sandboxes' : `the sandbox ${name}`
  const losses = ['all recorded requests', 'manners and coverage, which begin anew']
  if (!(await askOnce({ title: `Clear the requests of ${whose}?`, losses, action: 'Clear' }))) return
  const cleared = valueOrNotice(await ask('delete', '/requests', { query: { sandbox: name } }))
  if (cleared) showNotice(`Cleared ${count(cleared.deleted, 'request')}.`)
}
