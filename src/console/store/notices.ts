import { effect, signal } from '@preact/signals'
import type { Asked } from '../api/ask.ts'
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

/** Returns the value of a response and shows `sentence`, if given; shows the problem instead, if there is one. */
export async function valueOrNotice<Value>(
  asking: Promise<Asked<Value>>,
  sentence?: string | ((value: Value) => string),
): Promise<Value | undefined> {
  const asked = await asking
  if (asked.problem) showProblem(asked.problem.sentence)
  else if (sentence !== undefined) showNotice(typeof sentence === 'string' ? sentence : sentence(asked.value))
  return asked.value
}

/** The text that screen readers announce for a visible change, such as the changed label of a button. */
export const announcement = signal('')

interface Question {
  /** `Delete the sandbox w1?` The first word is on the button. */
  readonly title: string
  readonly losses: readonly string[]
  readonly answer: (isYes: boolean) => void
}

export const openQuestion = signal<Question | undefined>(undefined)

// A question concerns the sandbox that was shown when it was asked.
effect(() => {
  void sandbox.value
  openQuestion.peek()?.answer(false)
})

/** Asks for confirmation before a destructive action. Resolves to true if the user agreed. */
export function askOnce(title: string, losses: readonly string[]): Promise<boolean> {
  openQuestion.value?.answer(false)
  return new Promise((resolve) => {
    const answer = (isYes: boolean) => {
      openQuestion.value = undefined
      resolve(isYes)
    }
    openQuestion.value = { title, losses, answer }
  })
}
