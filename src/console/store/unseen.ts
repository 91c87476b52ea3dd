import { effect, signal } from '@preact/signals'
import { onArrival } from './live.ts'
import { sandbox } from './route.ts'

/** The number of requests with violations that have come since the user last worked with this page. */
export const unseenViolations = signal(0)

/** Counts violations of the sandbox that is shown, until the user works with the page again. */
export function countUnseenViolations(): void {
  onArrival(({ exchanges }) => {
    unseenViolations.value += exchanges.filter(({ violations }) => violations.length > 0).length
  })
  const see = () => {
    unseenViolations.value = 0
  }
  addEventListener('pointerdown', see)
  addEventListener('keydown', see)
  effect(() => {
    void sandbox.value
    see()
  })
}
