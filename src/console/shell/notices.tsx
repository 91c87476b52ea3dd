import { announcement, dismiss, notices } from '../store/notices.ts'
import { openQuestion } from '../store/question.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Shows notices at the lower edge of the page. */
export function Notices() {
  return (
    <div class="notices stack" role="status">
      {notices.value.map(({ id, kind, sentence }) => (
        <div key={id} class={`notice bar marked box ${kind}`}>
          <span>{sentence}</span>
          <Button label="✕" class="quiet last" onClick={() => dismiss(id)} aria-label={`Close: ${sentence}`} />
        </div>
      ))}
    </div>
  )
}

/** Has a screen reader say what is seen at its place, such as the word on a button. */
export const Announcement = () => (
  <p class="hidden" role="status">
    {announcement.value}
  </p>
)

/** Shows the question before an action that destroys something. */
export function OpenQuestion() {
  const question = openQuestion.value
  if (!question) return null
  const { title, losses, action, answer } = question
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p>This will be lost:</p>
      <ul class="bullets">
        {losses.map((loss) => (
          <li key={loss}>{loss}</li>
        ))}
      </ul>
      <p class="actions bar">
        <Button label="Cancel" onClick={() => answer(false)} />
        <Button label={action} class="danger" onClick={() => answer(true)} />
      </p>
    </Dialog>
  )
}
