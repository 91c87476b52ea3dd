import { effect, signal } from '@preact/signals'
import { ask } from '../api/ask.ts'
import { newestKnown, onArrival } from './live.ts'
import { sandbox } from './route.ts'

/** The number of requests with violations that have come since the user last worked with this page. */
export const unseenViolations = signal(0)

/** Milliseconds between two questions for violations while the page is hidden and has no stream. */
const hiddenMs = 5_000

/** Counts violations of the sandbox that is shown, until the user works with the page again. */
export function countUnseenViolations(): void {
  onArrival(({ exchanges }) => {
    unseenViolations.value += exchanges.filter(
      ({ violations, replayOf }) => violations.length > 0 && replayOf === undefined,
    ).length
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
  countWhileHidden()
}

function countWhileHidden(): void {
  let before = 0
  document.addEventListener('visibilitychange', () => {
    before = unseenViolations.value
  })
  setInterval(async () => {
    if (!document.hidden) return
    const query = { sandbox: sandbox.peek(), violations: true, since: newestKnown(), limit: 0 }
    const asked = await ask('get', '/requests', { query })
    if (asked.ok && document.hidden) unseenViolations.value = before + asked.value.total
  }, hiddenMs)
}
