/** The part of a sandbox's head that is read with its settings. */
export interface SandboxHead {
  /** The id of the open segment; empty: the sandbox has no data. */
  readonly open: string
  /** The number of events; empty: none. */
  readonly events: string
  /** The quality settings as JSON; empty: never changed. */
  readonly quality: string
}

/**
 * The heads that were read in the callback that runs. Each request reads the settings first, and with them the head:
 * what it then reads before it waits for anything else needs no round trip (one less for a GET). A head is gone once
 * the callback's promises have run, so no caller that may know of a later change finds it.
 */
export class FreshHeads {
  readonly #heads = new Map<string, SandboxHead>()

  set(sandbox: string, head: SandboxHead): void {
    if (this.#heads.size === 0) process.nextTick(() => this.#heads.clear())
    this.#heads.set(sandbox, head)
  }

  get(sandbox: string): SandboxHead | undefined {
    return this.#heads.get(sandbox)
  }

  forget(sandbox: string): void {
    this.#heads.delete(sandbox)
  }
}
