/** The form of an e-mail address, in ASCII. */
const emailAddress = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** Counts the different e-mail addresses in a text while its pieces pass. One that two pieces share is not found. */
export class EmailAddresses {
  readonly #found = new Set<string>()

  async *watch(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of pieces) {
      for (const [address] of piece.matchAll(emailAddress)) this.#found.add(address.toLowerCase())
      yield piece
    }
  }

  /** Returns the number in words, for a sentence; empty if none was found. */
  describe(): string {
    const { size } = this.#found
    return size === 0 ? '' : `, with at least ${size} e-mail address${size === 1 ? '' : 'es'}`
  }
}
