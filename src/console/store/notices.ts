import { effect, signal } from '@preact/signals'
import type { Asked } from '../api/ask.ts'
import { sandbox } from './route.ts'

interface Notice {
  readonly kind: 'done' | 'problem'
  readonly sentence: string
}

export const notices = signal<readonly Notice[]>([])

/** Milliseconds until the notice of a success disappears. A problem stays until it is closed. */
const doneMs = 4_000

const maxNotices = 4

/** Tells the user that something was done: `Copied.` */
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

/** Returns the value of a response, and shows the sentence, if any. Shows the problem instead if there is one. */
export async function valueOrNotice<Value>(
  asking: Promise<Asked<Value>>,
  sentence?: string | ((value: Value) => string),
): Promise<Value | undefined> {
  const asked = await asking
  if (asked.problem) showProblem(asked.problem.sentence)
  else if (sentence !== undefined) showNotice(typeof sentence === 'string' ? sentence : sentence(asked.value))
  return asked.value
}

/** The words that a screen reader says of something that is seen at its place, if any. */
export const announcement = signal('')

const announcedMs = 1_600

let silence: ReturnType<typeof setTimeout> | undefined

/** Says something to those who cannot see it: `Copied`. The words go, so that they can be said again. */
export function announce(words: string): void {
  announcement.value = words
  clearTimeout(silence)
  silence = setTimeout(() => {
    announcement.value = ''
  }, announcedMs)
}

/** A question before an action that destroys something. */
interface Question {
  /** `Delete the sandbox w1?` */
  readonly title: string
  /** The things that will be lost, by name: `12 events`. */
  readonly losses: readonly string[]
  /** The words on the button: `Delete`. */
  readonly action: string
}

/** The question that is open, with the function that takes the answer, if any. */
export const openQuestion = signal<(Question & { answer(isYes: boolean): void }) | undefined>(undefined)

// A question is about the sandbox that was shown when it was asked.
effect(() => {
  void sandbox.value
  openQuestion.peek()?.answer(false)
})

/** Asks once before an action that destroys something. Resolves to true if the user agreed. */
export function askOnce(question: Question): Promise<boolean> {
  openQuestion.value?.answer(false)
  return new Promise((resolve) => {
    const answer = (isYes: boolean) => {
      openQuestion.value = undefined
      resolve(isYes)
    }
    openQuestion.value = { ...question, answer }
  })
}
