import { parseDuration, parseNow } from '../../base/core/instant.ts'
import { isObject } from '../../base/core/json.ts'
import { mapEach } from '../../base/core/slices.ts'
import { componentsOf } from '../../state/collections/prompts.ts'
import type { PromptVersion, StoredPrompt } from '../../state/records.ts'
import { parseExport } from '../../state/sandbox-export.ts'
import type { EventQuery } from '../../state/store.ts'
import { defaultSandbox, type Sandbox } from '../sandboxes/sandboxes.ts'
import { type ClockState, clockModes, type SandboxSettings } from '../sandboxes/settings.ts'
import { ControlError, type ControlRequest, type HandlerGroup } from './handler.ts'

/** The maximum number of concurrent reads of sandbox settings. If the state is shared, each read is a network call. */
const maxConcurrentReads = 16

export const sandboxHandlers: HandlerGroup = ({ sandboxes, store, journal, seedState, keepUnmet }) => {
  const { settings } = sandboxes
  return {
    async reset({ sandbox: name }) {
      await keepUnmet(name)
      // One import, rather than a reset and an import, so that no request sees the default sandbox empty.
      if (name === defaultSandbox && seedState) await store.importSandbox(name, seedState, 'always')
      else await store.reset(name)
      await settings.reset(name)
      sandboxes.use(name)
      await journal.clear(name)
      return { reset: name }
    },
    async listSandboxes() {
      const stored = new Map((await store.listSandboxes()).map((summary) => [summary.name, summary]))
      const unusedHere = [...stored.keys()].filter((name) => !sandboxes.has(name)).map((name) => sandboxes.peek(name))
      const all = [...unusedHere, ...sandboxes.list()]
      const toJson = async (sandbox: Sandbox) => {
        const { events = 0, prompts = 0, snapshots = 0 } = stored.get(sandbox.name) ?? {}
        const { recorded, dropped } = await journal.counts(sandbox.name)
        const counts = { events, prompts, snapshots, requests: recorded - dropped, revision: sandbox.revision }
        return { ...sandboxToJson(sandbox, await settings.read(sandbox.name)), ...counts }
      }
      const listed: object[] = []
      for (let from = 0; from < all.length; from += maxConcurrentReads)
        listed.push(...(await Promise.all(all.slice(from, from + maxConcurrentReads).map(toJson))))
      return { sandboxes: listed }
    },
    async putSandbox({ parameters, body }) {
      const sandbox = sandboxes.use(String(parameters.path['name']))
      if (isObject(body) && typeof body['seed'] === 'string') await settings.setSeed(sandbox.name, body['seed'])
      return sandboxToJson(sandbox, await settings.read(sandbox.name))
    },
    async deleteSandbox({ parameters }) {
      const name = String(parameters.path['name'])
      const isKnown = sandboxes.has(name)
      await keepUnmet(name)
      const isStored = await store.deleteSandbox(name) // first, so that a full Redis has room for the other changes
      await settings.reset(name)
      await journal.clear(name) // before `delete`, since reading other replicas' requests may add the sandbox again
      sandboxes.delete(name)
      return { deleted: isKnown || isStored }
    },
  }
}

function sandboxToJson({ name, usedAt }: Sandbox, { seed, rules, clock }: SandboxSettings) {
  return { name, seed, clock: clockToJson(clock), rules: rules.length, usedAt: new Date(usedAt).toISOString() }
}

export const clockHandlers: HandlerGroup = ({ sandboxes }) => ({
  async getClock({ sandbox }) {
    return clockToJson((await sandboxes.settings.read(sandbox)).clock)
  },
  async putClock(request) {
    const body = isObject(request.body) ? request.body : {}
    const mode = clockModes.find((known) => known === body['mode']) ?? 'real'
    const now = typeof body['now'] === 'string' ? parseNow(body['now']) : undefined
    if (mode === 'real' && now !== undefined)
      return new ControlError(400, 'A real clock shows the real time. Omit "now", or use the mode "shifted".')
    if (body['now'] !== undefined && now === undefined)
      return new ControlError(400, '"now" must be a time in the years 1900 to 9999.')
    const { name } = sandboxes.use(request.sandbox)
    return clockToJson(await sandboxes.settings.setClock(name, mode, now))
  },
  async advanceClock(request) {
    const by = isObject(request.body) ? String(request.body['by']) : ''
    const ms = parseDuration(by)
    if (ms === undefined)
      return new ControlError(400, `"by" must be a duration such as 250ms, 90s, 15m, 1h or 7d; got "${by}".`)
    const { name } = sandboxes.use(request.sandbox)
    const clock = await sandboxes.settings.advanceClock(name, ms)
    return clock ? clockToJson(clock) : new ControlError(400, `A clock cannot pass the year 9999; got "by": "${by}".`)
  },
})

function clockToJson({ mode, now }: ClockState) {
  return { mode, now: new Date(now).toISOString() }
}

export const recordHandlers: HandlerGroup = ({ store }) => ({
  listEvents({ sandbox, parameters }) {
    const { sandbox: _, ...query } = parameters.query
    return store.listEvents(sandbox, query as EventQuery) // typed by the control document
  },
  async listPrompts({ sandbox }) {
    return { prompts: mapEach(await store.listPrompts(sandbox), promptToJson) }
  },
  async activateVersion({ sandbox, parameters: { path } }) {
    const [promptId, versionId] = [String(path['promptId']), String(path['versionId'])]
    const activate = (prompt: string, version: string) => store.activateVersion(sandbox, prompt, version)
    // The exact IDs are tried first, since imported IDs can contain capital letters.
    const isActivated =
      (await activate(promptId, versionId)) || (await activate(promptId.toLowerCase(), versionId.toLowerCase()))
    if (!isActivated) return new ControlError(404, `The sandbox has no version ${versionId} of the prompt ${promptId}.`)
    return { promptId, versionId, active: true }
  },
})

export const snapshotHandlers: HandlerGroup = ({ store, sandboxes }) => ({
  listSnapshots: async (request) => ({ snapshots: await store.listSnapshots(request.sandbox) }),
  async createSnapshot(request) {
    const { name } = sandboxes.use(request.sandbox)
    const { seed, clock } = await sandboxes.settings.read(name)
    const label = isObject(request.body) ? request.body['name'] : undefined
    const context = { sandbox: name, seed, now: clock.now }
    return store.createSnapshot(context, typeof label === 'string' ? label : undefined)
  },
  async restoreSnapshot(request) {
    const id = snapshotIdOf(request)
    return (await store.restoreSnapshot(request.sandbox, id)) ? { restored: id } : refuseSnapshot(id)
  },
  async deleteSnapshot(request) {
    const id = snapshotIdOf(request)
    return (await store.deleteSnapshot(request.sandbox, id)) ? { deleted: id } : refuseSnapshot(id)
  },
  exportSandbox: (request) => store.exportSandbox(request.sandbox),
  async importSandbox({ sandbox: name, body }) {
    const parsed = await parseExport(body)
    if (!parsed.ok) return new ControlError(400, `This is not a sandbox export: ${parsed.error.join('; ')}.`)
    await store.importSandbox(name, parsed.value, 'always')
    sandboxes.use(name) // so that the sandbox is in use and counts toward --sandbox-limit
    return { events: parsed.value.events.length, prompts: parsed.value.prompts.length }
  },
})

const snapshotIdOf = ({ parameters }: ControlRequest) => String(parameters.path['snapshotId']).toLowerCase()

const refuseSnapshot = (id: string) => new ControlError(404, `The sandbox has no snapshot ${id}.`)

const promptToJson = ({ versions, ...prompt }: StoredPrompt) => ({ ...prompt, versions: versions.map(versionToJson) })

function versionToJson({ fields, componentIds, ...version }: PromptVersion) {
  const { components: _, ...others } = fields
  const components = componentsOf(fields).map((component, i) => ({ ...component, componentId: componentIds[i] }))
  return { ...others, ...version, components }
}
