import { effect, signal } from '@preact/signals'
import type { ApiResult } from '../api/ask.ts'
import { sandbox } from './route.ts'

interface Notice {
  readonly kind: 'done' | 'problem'
  readonly sentence: string
}

export const notices = signal<readonly Notice[]>([])

/** Milliseconds until a success notice disappears. A problem stays until it is closed. */
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

/** Shows `sentence`, if given, and returns the value of a result. Shows the problem instead if the result has one. */
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
  /** The question: `Delete the sandbox w1?` Its first word is the label of the button. */
  readonly title: string
  readonly losses: readonly string[]
  readonly answer: (isYes: boolean) => void
}

export const openQuestion = signal<Question | undefined>(undefined)

// A question is about the sandbox that was selected when it appeared.
effect(() => {
  void sandbox.value
  openQuestion.peek()?.answer(false)
})

/** Asks for confirmation before a destructive action. Resolves to true if the user confirms. */
export function confirmAction(title: string, losses: readonly string[]): Promise<boolean> {
  openQuestion.value?.answer(false)
  return new Promise((resolve) => {
    const answer = (isYes: boolean) => {
      openQuestion.value = undefined
      resolve(isYes)
    }
    openQuestion.value = { title, losses, answer }
  })
}
