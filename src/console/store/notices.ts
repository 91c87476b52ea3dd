import { effect, signal } from '@preact/signals'
import type { Asked } from '../api/ask.ts'
import { sandbox } from './route.ts'

/** A sentence at the lower edge of the page. */
interface Notice {
  readonly id: number
  readonly kind: 'done' | 'problem'
  readonly sentence: string
}

/** The notices that are shown, the oldest first. */
export const notices = signal<readonly Notice[]>([])

/** The words that a screen reader says of something that is seen at its place. Empty: nothing is to be said. */
export const announcement = signal('')

let silence: ReturnType<typeof setTimeout> | undefined

/** Says something to those who cannot see it: `Copied`. The words go, so that they can be said again. */
export function announce(words: string): void {
  announcement.value = words
  clearTimeout(silence)
  silence = setTimeout(() => {
    announcement.value = ''
  }, announcedMs)
}

/** Milliseconds for which an announcement stays. */
const announcedMs = 1_600

/** Milliseconds until the notice of a success disappears. A problem stays until it is closed. */
const doneMs = 4_000

/** The most notices at a time. */
const maxNotices = 4

let lastId = 0

/** Tells the user that something was done: `Copied.` */
export function showNotice(sentence: string): void {
  const id = show('done', sentence)
  setTimeout(() => dismiss(id), doneMs)
}

/** Shows a problem and what to do. */
export const showProblem = (sentence: string) => void show('problem', sentence)

/** Returns the value of a response; shows the problem and returns undefined where there is none. */
export function valueOrNotice<Value>(asked: Asked<Value>): Value | undefined {
  if (asked.ok) return asked.value
  showProblem(asked.problem.sentence)
  return undefined
}

/** Closes a notice. */
export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

function show(kind: Notice['kind'], sentence: string): number {
  lastId += 1
  const others = notices.value.filter((notice) => notice.sentence !== sentence)
  notices.value = [...others, { id: lastId, kind, sentence }].slice(-maxNotices)
  return lastId
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

/** The question that is open, with the function that takes the response, if any. */
export const openQuestion = signal<(Question & { response(isYes: boolean): void }) | undefined>(undefined)

// A question is about the sandbox that was shown when it was asked.
effect(() => {
  void sandbox.value
  openQuestion.peek()?.response(false)
})

/** Asks once before an action that destroys something. Resolves to true where the user agreed. */
export function askOnce(question: Question): Promise<boolean> {
  openQuestion.value?.response(false)
  return new Promise((resolve) => {
    openQuestion.value = {
      ...question,
      response(isYes) {
        openQuestion.value = undefined
        resolve(isYes)
      },
    }
  })
}
