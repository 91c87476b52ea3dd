import { isObject } from '../../base/core/json.ts'
import { mapEach } from '../../base/core/slices.ts'
import { componentsOf } from '../../state/collections/prompts.ts'
import type { PromptVersion, StoredPrompt } from '../../state/records.ts'
import { parseExport } from '../../state/sandbox-export.ts'
import type { EventQuery, Store } from '../../state/store.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandlers, type ControlRequest } from './handler.ts'

/** Handles `GET events`, `GET prompts` and `activate`: the records that the service's user interface would show. */
export function recordHandlers(store: Store) {
  return {
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
      // Only imported ids have capitals.
      const isActivated =
        (await activate(promptId, versionId)) || (await activate(promptId.toLowerCase(), versionId.toLowerCase()))
      if (!isActivated) return new ControlError(404, `The sandbox has no version ${versionId} of a prompt ${promptId}.`)
      return { promptId, versionId, active: true }
    },
  } satisfies Partial<ControlHandlers>
}

/** Handles the operations on a sandbox's whole state: `snapshots`, `export` and `import`. */
export function snapshotHandlers(store: Store, sandboxes: Sandboxes) {
  return {
    listSnapshots: async (request) => ({ snapshots: await store.listSnapshots(request.sandbox) }),
    async createSnapshot(request) {
      const { name } = sandboxes.use(request.sandbox)
      const { seed, clock } = await sandboxes.settings.read(name)
      const label = isObject(request.body) ? request.body['name'] : undefined
      const writer = { sandbox: name, seed, now: clock.now }
      return store.createSnapshot(writer, typeof label === 'string' ? label : undefined)
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
      if (!parsed.ok) return new ControlError(400, `This is no export of a sandbox: ${parsed.error.join('; ')}.`)
      await store.importSandbox(name, parsed.value, 'always')
      sandboxes.use(name) // so that the sandbox is listed and counts towards --sandbox-limit
      return { events: parsed.value.events.length, prompts: parsed.value.prompts.length }
    },
  } satisfies Partial<ControlHandlers>
}

const snapshotIdOf = ({ parameters }: ControlRequest) => String(parameters.path['snapshotId']).toLowerCase()

const refuseSnapshot = (id: string) => new ControlError(404, `The sandbox has no snapshot ${id}.`)

const promptToJson = ({ versions, ...prompt }: StoredPrompt) => ({ ...prompt, versions: versions.map(versionToJson) })

function versionToJson({ fields, componentIds, ...version }: PromptVersion) {
  const { components: _, ...others } = fields
  const components = componentsOf(fields).map((component, at) => ({ ...component, componentId: componentIds[at] }))
  return { ...others, ...version, components }
}
