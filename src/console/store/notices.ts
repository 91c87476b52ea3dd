import { effect, signal } from '@preact/signals'
import type { ApiResult } from '../api/call.ts'
import { sandbox } from './route.ts'

interface Notice {
  readonly kind: 'done' | 'problem'
  readonly sentence: string
}

export const notices = signal<readonly Notice[]>([])

/** The time in milliseconds after which a success notice disappears. A problem notice does not time out. */
const doneMs = 4_000

const maxNotices = 4

export function showNotice(sentence: string): void {
  const notice = show({ kind: 'done', sentence })
  setTimeout(() => dismiss(notice), doneMs)
}

export const showProblem = (sentence: string) => void show({ kind: 'problem', sentence })

function show(notice: Notice): Notice {
  const others = notices.value.filter(({ sentence }) => sentence !== notice.sentence)
  notices.value = [...others, notice].slice(-maxNotices)
  return notice
}

export function dismiss(notice: Notice): void {
  notices.value = notices.value.filter((one) => one !== notice)
}

/** Shows `sentence`, if any, and returns the value. If there is a problem, shows it and returns undefined. */
export async function valueOrNotice<Value>(
  pending: Promise<ApiResult<Value>>,
  sentence?: string | ((value: Value) => string),
): Promise<Value | undefined> {
  const result = await pending
  if (result.problem) showProblem(result.problem.sentence)
  else if (sentence !== undefined) showNotice(typeof sentence === 'string' ? sentence : sentence(result.value))
  return result.value
}

/** The text that screen readers announce for a visible change, such as a button's new label. */
export const announcement = signal('')

interface Question {
  /** The question: `Delete the sandbox w1?` The first word is also the label of the button that confirms. */
  readonly title: string
  readonly losses: readonly string[]
  readonly answer: (isConfirmed: boolean) => void
}

export const openQuestion = signal<Question | undefined>(undefined)

// Selecting another sandbox cancels the open question, which is about the previous sandbox.
effect(() => {
  void sandbox.value
  openQuestion.peek()?.answer(false)
})

/** Asks for confirmation before a destructive action. Resolves to true if the user confirms. */
export function confirmAction(title: string, losses: readonly string[]): Promise<boolean> {
  openQuestion.value?.answer(false)
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean) => {
      openQuestion.value = undefined
      resolve(isConfirmed)
    }
    openQuestion.value = { title, losses, answer }
  })
}
