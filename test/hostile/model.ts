import type { SandboxExport } from '../../src/state/store.ts'

/** The acknowledged writes: ids of events with their replays, and ids of prompt versions. */
export class Model {
  readonly #replays = new Map<string, number>()
  readonly #versions: string[] = []

  event(eventId: string): void {
    const known = this.#replays.get(eventId)
    this.#replays.set(eventId, known === undefined ? 0 : known + 1)
  }

  version(versionId: string): void {
    this.#versions.push(versionId)
  }

  /** Returns a text that two models have in common only if they hold the same. */
  digest(): string {
    return JSON.stringify([[...this.#replays].sort(), this.#versions.toSorted()])
  }

  /** Lists what the export lacks of this model. */
  missingIn(content: SandboxExport): string[] {
    const stored = new Map(content.events.map(({ eventId, replays }) => [eventId, replays]))
    const versions = new Set(versionIds(content))
    return [
      ...[...this.#replays]
        .filter(([id, replays]) => (stored.get(id) ?? -1) < replays)
        .map(([id, replays]) => `event ${id} with ${replays} replays`),
      ...this.#versions.filter((id) => !versions.has(id)).map((id) => `version ${id}`),
    ]
  }
}

/** Returns the digest that a model of the same content has. */
export function digestOf(content: SandboxExport): string {
  const model = new Model()
  for (const { eventId, replays } of content.events)
    for (let count = 0; count <= replays; count += 1) model.event(eventId)
  for (const id of versionIds(content)) model.version(id)
  return model.digest()
}

const versionIds = ({ prompts }: SandboxExport) =>
  prompts.flatMap(({ versions }) => versions.map(({ versionId }) => versionId))
