/** Runs one sync at a time. All requests that come while a sync runs share the next one. */
export class GroupSync {
  readonly #run: () => Promise<void>
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  /** Resolves once a sync that began after this call has ended. Rejects if it failed. */
  request(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        this.#running = this.#run()
        return this.#running
      })
    return this.#next
  }

  /** Waits until no sync runs and none is requested. */
  async settle(): Promise<void> {
    await this.#next?.catch(() => undefined)
    await this.#running.catch(() => undefined)
  }
}
