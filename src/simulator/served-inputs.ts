import { splitFiles } from '../config/setting.ts'
import type { Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import type { DocumentState } from '../control/info.ts'
import { createLiveView } from '../core/live-view.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Catalogue } from '../scenarios/definition.ts'
import type { Generation } from './generation.ts'

/** The generation that is served, and views of its parts for those that outlive it. */
export class ServedInputs {
  #present: Generation
  #failure: DocumentState['failure']
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue

  constructor(first: Generation) {
    this.#present = first
    this.contract = createLiveView(() => this.#present.contract)
    this.fixtures = createLiveView(() => this.#present.fixtures)
    this.catalogue = createLiveView(() => this.#present.catalogue)
  }

  get present(): Generation {
    return this.#present
  }

  /** Serves a generation from the next request on. */
  replace(next: Generation): void {
    this.#present = next
    this.#failure = undefined
  }

  /** Stores why the latest reload failed. */
  fail(failure: DocumentState['failure']): void {
    this.#failure = failure
  }

  /** Describes the documents for the control plane. */
  describe({ overlay, watch }: Settings): DocumentState {
    return {
      digest: this.#present.contractDigest(),
      generation: this.#present.number,
      overlays: splitFiles(overlay),
      isWatched: watch,
      failure: this.#failure,
    }
  }
}
