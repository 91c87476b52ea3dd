/** A number of replies that may wait for their clients at the same time. */
export class Slots {
  #left: number

  constructor(count: number) {
    this.#left = count
  }

  /** Takes a slot until the client closes its connection. Returns false if there is none. */
  take(clientGone: AbortSignal): boolean {
    if (this.#left === 0) return false
    if (clientGone.aborted) return true
    this.#left -= 1
    clientGone.addEventListener('abort', () => {
      this.#left += 1
    })
    return true
  }
}
