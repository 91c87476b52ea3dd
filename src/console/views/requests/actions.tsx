import type { Schema } from '../../api/answers.ts'
import { ask, askText } from '../../api/ask.ts'
import { useCommands } from '../../store/commands.ts'
import { showNotice, showProblem, valueOrNotice } from '../../store/notices.ts'
import { askOnce } from '../../store/question.ts'
import { navigate, sandbox } from '../../store/route.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { count } from '../../ui/text.ts'
import { formatFetch, formatVitest } from './code.ts'
import { findSendProblem, replayHeader, toReplay, urlOf } from './replay.ts'

/** Copies a request in three forms, and sends it again. Only the journal writes the curl line. */
export function Actions({ exchange, isRecorded }: { exchange: Schema<'Exchange'>; isRecorded: boolean }) {
  const problem = findSendProblem(exchange)
  const send = () => void sendAgain(exchange)
  useCommands(problem === undefined ? [{ title: 'Send the request again', key: 'r', run: send }] : [], [exchange])
  const curl = async () =>
    valueOrNotice(await askText('/requests/{id}', { path: { id: exchange.id }, query: { format: 'curl' } }))
  return (
    <div class="request-actions wraps">
      <span class="faint">Copy as</span>
      <CopyButton label="curl" title="Copy as curl" text={curl} isDisabled={!isRecorded} />
      <CopyButton label="fetch" title="Copy as fetch" text={async () => formatFetch(exchange)} />
      <CopyButton label="vitest" title="Copy as a vitest test" text={async () => formatVitest(exchange)} />
      <Button label="Send again" class="last" disabled={problem !== undefined} title={problem} onClick={send} />
    </div>
  )
}

/** Sends a request to the service again, and opens the new one. */
async function sendAgain(exchange: Schema<'Exchange'>): Promise<void> {
  const { method, headers: recorded, body } = toReplay(exchange)
  const headers = { ...recorded, [replayHeader]: exchange.id }
  try {
    const answer = await fetch(urlOf(exchange), { method, headers, ...(body !== undefined && { body }) })
    const id = answer.headers.get('x-sim-request-id') ?? answer.headers.get('x-request-id')
    showNotice(`Sent again; the answer is ${answer.status}.`)
    if (id !== null) navigate({ view: 'requests', id })
    await answer.arrayBuffer()
  } catch {
    showProblem('The connection ended before the whole answer came, as a scenario may ask. The list shows the request.')
  }
}

/** Deletes the recorded requests of the sandbox that is shown, after a question. */
export async function clearRequests(): Promise<void> {
  const name = sandbox.peek()
  const whose = name === '*' ? 'all sandboxes' : `the sandbox ${name}`
  const losses = ['all recorded requests', 'manners and coverage, which begin anew']
  if (!(await askOnce({ title: `Clear the requests of ${whose}?`, losses, action: 'Clear' }))) return
  const cleared = valueOrNotice(await ask('delete', '/requests', { query: { sandbox: name } }))
  if (cleared) showNotice(`Cleared ${count(cleared.deleted, 'request')}.`)
}
