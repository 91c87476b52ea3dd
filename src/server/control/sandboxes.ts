import { isObject, type JsonObject } from '../../base/core/json.ts'
import { defaultSandbox, type Sandbox } from '../sandboxes/sandboxes.ts'
import type { SandboxSettings } from '../sandboxes/settings.ts'
import { clockToJson } from './clock.ts'
import type { ControlDeps } from './deps.ts'
import type { ControlHandlers } from './handler.ts'

/** The number of sandboxes whose settings are read at once: a shared state reads each from its server. */
const SANDBOXES_AT_ONCE = 16

/** Resets the state, journal, clock, seed and rules of a sandbox to those of the start. */
async function resetSandbox({ sandboxes, store, journal, seedState }: ControlDeps, name: string): Promise<void> {
  // One import instead of a reset and an import, so that no request meets the default sandbox without its seed state.
  if (name === defaultSandbox && seedState) await store.importSandbox(name, seedState, 'always')
  else await store.reset(name)
  await sandboxes.settings.reset(name)
  sandboxes.use(name)
  await journal.clear(name)
}

/** Handles `POST reset`, `GET sandboxes`, and `PUT` and `DELETE sandboxes/{name}`. */
export function sandboxHandlers(deps: ControlDeps) {
  const { sandboxes, store, journal } = deps
  return {
    async reset({ sandbox }) {
      await resetSandbox(deps, sandbox)
      return { reset: sandbox }
    },
    async listSandboxes() {
      const stored = new Map((await store.listSandboxes()).map((summary) => [summary.name, summary]))
      const ofOthers = [...stored.keys()].filter((name) => !sandboxes.has(name)).map((name) => sandboxes.peek(name))
      const all = [...ofOthers, ...sandboxes.list()]
      const toJson = async (sandbox: Sandbox) => {
        const { events = 0, prompts = 0, snapshots = 0 } = stored.get(sandbox.name) ?? {}
        const { recorded, dropped } = await journal.counts(sandbox.name)
        const settings = await sandboxes.settings.read(sandbox.name)
        return {
          ...sandboxToJson(sandbox, settings),
          events,
          prompts,
          snapshots,
          requests: recorded - dropped,
          revision: sandbox.revision,
        }
      }
      const listed: JsonObject[] = []
      for (let from = 0; from < all.length; from += SANDBOXES_AT_ONCE)
        listed.push(...(await Promise.all(all.slice(from, from + SANDBOXES_AT_ONCE).map(toJson))))
      return { sandboxes: listed }
    },
    async putSandbox({ parameters, body }) {
      const sandbox = sandboxes.use(String(parameters.path['name']))
      const { settings } = sandboxes
      if (isObject(body) && typeof body['seed'] === 'string') await settings.setSeed(sandbox.name, body['seed'])
      return sandboxToJson(sandbox, await settings.read(sandbox.name))
    },
    async deleteSandbox({ parameters }) {
      const name = String(parameters.path['name'])
      const isKnown = sandboxes.has(name)
      const isStored = await store.deleteSandbox(name) // first, since a full Redis takes no change before
      await sandboxes.settings.reset(name)
      await journal.clear(name) // before the next line, since it can bring requests to other replicas
      sandboxes.delete(name)
      return { deleted: isKnown || isStored }
    },
  } satisfies Partial<ControlHandlers>
}

function sandboxToJson({ name, usedAt }: Sandbox, { seed, rules, clock }: SandboxSettings): JsonObject {
  return {
    name,
    seed,
    clock: clockToJson(clock),
    rules: rules.length,
    usedAt: new Date(usedAt).toISOString(),
  }
}
