import { isObject, type JsonObject } from '../core/json.ts'
import { defaultSandbox, type Sandbox } from '../sandboxes/sandboxes.ts'
import type { ControlHandlers } from './control.ts'
import type { Seen } from './seen.ts'

/** Brings a sandbox back to the start: what it holds, what it was asked, its clock, seed and rules. */
export async function resetSandbox(
  { sandboxes, store, journal, seedState }: Seen,
  name: string,
): Promise<void> {
  // In one step: nobody ever sees the default sandbox without what it starts with.
  if (name === defaultSandbox && seedState) await store.importSandbox(name, seedState)
  else await store.reset(name)
  sandboxes.reset(name)
  journal.clear(name)
}

/** `POST reset`, `GET sandboxes`, `PUT/DELETE sandboxes/{name}`. */
export function sandboxHandlers(
  seen: Seen,
): Pick<ControlHandlers, 'reset' | 'listSandboxes' | 'putSandbox' | 'deleteSandbox'> {
  const { sandboxes, store, journal } = seen
  return {
    async reset({ parameters }) {
      const name = String(parameters.query['sandbox'])
      await resetSandbox(seen, name)
      return { reset: name }
    },
    async listSandboxes() {
      const stored = new Map((await store.listSandboxes()).map((one) => [one.name, one]))
      return {
        sandboxes: sandboxes.list().map((sandbox) => {
          const { events = 0, prompts = 0 } = stored.get(sandbox.name) ?? {}
          return { ...shown(sandbox), events, prompts }
        }),
      }
    },
    putSandbox({ parameters, body }) {
      const sandbox = sandboxes.use(String(parameters.path['name']))
      if (isObject(body) && typeof body['seed'] === 'string') sandbox.seed = body['seed']
      return shown(sandbox)
    },
    async deleteSandbox({ parameters }) {
      const name = String(parameters.path['name'])
      const known = sandboxes.delete(name)
      const stored = await store.deleteSandbox(name)
      journal.clear(name)
      return { deleted: known || stored }
    },
  }
}

function shown({ name, seed, clock, rules, usedAt }: Sandbox): JsonObject {
  const { mode, now } = clock.state()
  return {
    name,
    seed,
    clock: { mode, now: new Date(now).toISOString() },
    rules: rules.rules.length,
    usedAt: new Date(usedAt).toISOString(),
  }
}
