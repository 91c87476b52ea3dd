import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { catalogue } from '../store/catalogue.ts'
import { changeClock } from '../store/clock.ts'
import type { PageCommand } from '../store/commands.ts'
import { showNotice, valueOrNotice } from '../store/notices.ts'
import { navigate, sandbox, showSandbox } from '../store/route.ts'
import { addRule } from '../store/rules.ts'
import { sandboxNames } from '../store/server.ts'
import { clearRequests } from '../views/requests/actions.tsx'
import { describeSubject, findBreak, shortenIds } from '../views/requests/subject.ts'
import { listOffers, titleOf } from '../views/scenarios/offer.ts'

/** Reads the latest requests, and returns a command for each that opens it. */
export function useRequestCommands(): readonly PageCommand[] {
  const commands = useSignal<readonly PageCommand[]>([])
  useEffect(() => {
    const query = { sandbox: sandbox.peek(), order: 'newest', bodies: true, limit: 100 } as const
    void ask('get', '/requests', { query }).then((asked) => {
      if (asked.ok)
        commands.value = asked.value.requests.map((exchange) => {
          const { id, request, answer } = exchange
          const call = `${describeSubject(request.path, request.body)} ${request.method} ${shortenIds(request.path)}`
          return {
            title: `Open ${id}: ${call} ${findBreak(exchange) ?? answer.status}`,
            run: () => navigate({ view: 'requests', id }),
          }
        })
    })
  }, [])
  return commands.value
}

/** Lists what can be done from every view. A clock and rules belong to one sandbox. */
export function listActions(): readonly PageCommand[] {
  const ofSandbox: readonly PageCommand[] = [
    ...(['frozen', 'real'] as const).map((mode) => ({
      title: mode === 'frozen' ? 'Freeze the clock' : 'Let the clock run as the machine’s does',
      run: () => void moveClock({ mode }),
    })),
    ...['1 minute', '1 hour', '1 day'].map((span) => ({
      title: `Move the clock forward by ${span}`,
      run: () => void moveClock({ by: span.replace(/ (.).*/, '$1') }),
    })),
    ...listOffers()
      .filter(({ freeText }) => !freeText)
      .map((offer) => ({
        title: `Switch on ${titleOf(offer)}`,
        run: () => void switchOn(offer.example),
      })),
  ]
  return [
    { title: 'Clear the requests', run: () => void clearRequests() },
    ...(sandbox.value === '*' ? [] : ofSandbox),
    ...(catalogue.value?.models ?? []).map(({ id, name }) => ({
      title: `Open the model ${name}`,
      run: () => navigate({ view: 'world', id }),
    })),
    { title: 'Show all sandboxes', run: () => showSandbox('*') },
    ...sandboxNames.value.map((name) => ({ title: `Show the sandbox ${name}`, run: () => showSandbox(name) })),
  ]
}

async function moveClock(change: Parameters<typeof changeClock>[0]): Promise<void> {
  const clock = await changeClock(change)
  if (clock) showNotice(`The clock of ${sandbox.peek()} is ${clock.mode} at ${clock.now}.`)
}

async function switchOn(scenario: string): Promise<void> {
  const name = sandbox.peek()
  if (valueOrNotice(await addRule(name, { scenario })))
    showNotice(`${scenario} is on for every request of the sandbox ${name}, before its other rules.`)
}
