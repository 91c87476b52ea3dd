/**
 * The losses of exchanges that a reader knows of. A replica that drops exchanges names their sandboxes. Where nobody knows them, since a replica was
 * killed or the reader came too late, each sandbox that was in use before the loss may have lost some.
 */
export class LossRecord {
  readonly #sandboxes = new Set<string>()
  /** The number of losses of unknown sandboxes: now, at the last clearing of all sandboxes, and at the beginning or last clearing of each. */
  #count = 0
  #countBeforeAll = 0
  readonly #countBefore = new Map<string, number>()

  /** Adds a loss. Undefined: nobody knows the sandboxes. */
  add(sandboxes: readonly string[] | undefined): void {
    if (sandboxes === undefined) this.#count += 1
    else for (const sandbox of sandboxes) this.#sandboxes.add(sandbox)
  }

  /** Forgets the losses before the first exchange of a sandbox, which has none of them. Only the first call for a sandbox does. */
  begin(sandbox: string): void {
    if (!this.#countBefore.has(sandbox)) this.#countBefore.set(sandbox, this.#count)
  }

  /** Forgets the losses of a sandbox; undefined: of all. */
  clear(sandbox: string | undefined): void {
    if (sandbox !== undefined) {
      this.#sandboxes.delete(sandbox)
      this.#countBefore.set(sandbox, this.#count)
      return
    }
    this.#sandboxes.clear()
    this.#countBeforeAll = this.#count
  }

  /** Returns true if exchanges of a sandbox, or of any (undefined), may be missing. */
  has(sandbox: string | undefined): boolean {
    if (sandbox === undefined) return this.#sandboxes.size > 0 || this.#count > this.#countBeforeAll
    const before = Math.max(this.#countBeforeAll, this.#countBefore.get(sandbox) ?? 0)
    return this.#sandboxes.has(sandbox) || this.#count > before
  }
}
