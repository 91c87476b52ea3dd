import { effect, signal } from '@preact/signals'
import { sandbox } from './route.ts'

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

/** Asks once before an action that destroys something. Resolves to true where the user agreed. */
export function askOnce(question: Question): Promise<boolean> {
  openQuestion.value?.answer(false)
  return new Promise((resolve) => {
    openQuestion.value = {
      ...question,
      answer(isYes) {
        openQuestion.value = undefined
        resolve(isYes)
      },
    }
  })
}
