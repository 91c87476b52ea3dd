import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { PromptVersion, StoredPrompt } from '../state/records.ts'
import type { EventQuery, Store } from '../state/store.ts'
import { ControlError, type ControlHandlers } from './handler.ts'

/** Dependencies of `recordHandlers`. */
export interface RecordDeps {
  readonly store: Store
}

/** `GET events`, `GET prompts`, activation: what the service's user interface would show of a sandbox. */
export function recordHandlers({
  store,
}: RecordDeps): Pick<ControlHandlers, 'listEvents' | 'listPrompts' | 'activateVersion'> {
  return {
    async listEvents({ sandbox, parameters }) {
      const { sandbox: _, ...query } = parameters.query
      const page = await store.listEvents(sandbox, query as EventQuery) // typed by the control document
      return asJson(page)
    },
    async listPrompts(request) {
      const prompts = await store.listPrompts(request.sandbox)
      return { prompts: prompts.map(promptShown) }
    },
    async activateVersion(request) {
      const promptId = String(request.parameters.path['promptId'])
      const versionId = String(request.parameters.path['versionId'])
      const found = await store.activateVersion(request.sandbox, promptId, versionId)
      if (!found)
        return new ControlError(404, `The sandbox has no version ${versionId} of a prompt ${promptId}.`)
      return { promptId, versionId, active: true }
    },
  }
}

/** Dependencies of `snapshotHandlers`. */
export interface SnapshotDeps {
  readonly store: Store
  readonly sandboxes: Sandboxes
}

/** `GET/POST snapshots`, restore, delete, `GET export`, `POST import`: a sandbox's state as a whole. */
export function snapshotHandlers({
  store,
  sandboxes,
}: SnapshotDeps): Pick<
  ControlHandlers,
  | 'listSnapshots'
  | 'createSnapshot'
  | 'restoreSnapshot'
  | 'deleteSnapshot'
  | 'exportSandbox'
  | 'importSandbox'
> {
  const missing = (id: Json | undefined) => new ControlError(404, `The sandbox has no snapshot ${id}.`)
  return {
    listSnapshots: async (request) => asJson({ snapshots: await store.listSnapshots(request.sandbox) }),
    async createSnapshot(request) {
      const { name, seed, clock } = sandboxes.use(request.sandbox)
      const label = isObject(request.body) ? request.body['name'] : undefined
      const writer = { sandbox: name, seed, now: clock.now() }
      return asJson(await store.createSnapshot(writer, typeof label === 'string' ? label : undefined))
    },
    async restoreSnapshot(request) {
      const id = request.parameters.path['snapshotId']
      return (await store.restoreSnapshot(request.sandbox, String(id)))
        ? { restored: String(id) }
        : missing(id)
    },
    async deleteSnapshot(request) {
      const id = request.parameters.path['snapshotId']
      return (await store.deleteSnapshot(request.sandbox, String(id))) ? { deleted: String(id) } : missing(id)
    },
    exportSandbox: async (request) => asJson(await store.exportSandbox(request.sandbox)),
    async importSandbox(request) {
      const name = request.sandbox
      const outcome = await store.importSandbox(name, request.body)
      if (!outcome.imported)
        return new ControlError(400, `This is no export of a sandbox: ${outcome.problems.join('; ')}.`)
      sandboxes.use(name) // what holds something counts and is listed, as if a request had made it
      return { events: outcome.events, prompts: outcome.prompts }
    },
  }
}

/** What the store gives out is JSON, in types of its own that are never written to. */
const asJson = (value: object) => value as JsonObject

function promptShown({ promptId, externalPromptId, productId, versions }: StoredPrompt): JsonObject {
  return {
    promptId,
    ...(externalPromptId !== undefined && { externalPromptId }),
    ...(productId !== undefined && { productId }),
    versions: versions.map(versionShown),
  }
}

function versionShown({ fields, componentIds, ...version }: PromptVersion): JsonObject {
  const { components = [], ...others } = fields
  return asJson({
    ...others,
    ...version,
    components: components.map((component, index) => ({ ...component, componentId: componentIds[index] })),
  })
}
