import { reasonOf } from '../core/result.ts'
import { writePrivateFile } from '../documents/private-file.ts'

/** Writes the bundle of a failed run, and prints its name or why it cannot be written. Returns true if written. */
export async function writeBundleFile(
  running: { bundle(reasons: readonly string[]): AsyncIterable<string> },
  file: string,
  reasons: readonly string[],
  printError: (line: string, level?: 'error') => void,
): Promise<boolean> {
  const addresses = new EmailAddresses()
  try {
    await writePrivateFile(file, addresses.watch(running.bundle(reasons)))
  } catch (error) {
    printError(`convsim: --bundle ${file}: cannot be written: ${reasonOf(error)}`, 'error')
    return false
  }
  printError(`convsim: the bundle is in ${file}; repeat the run with convsim replay ${file}.${addresses.describe()}`)
  return true
}

/** The lines that are named at most. */
const namedLines = 5

/** The e-mail addresses of a text, which no bundle redacts, since a replay has to send them. */
class EmailAddresses {
  readonly #found = new Set<string>()
  readonly #lines = new Set<number>()

  /** Yields the pieces of a text as they are. An address must not be cut by the end of a piece. */
  async *watch(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    let line = 1
    for await (const piece of pieces) {
      for (const text of piece.split(/(?<=\n)/)) {
        this.#findIn(text, line)
        if (text.endsWith('\n')) line += 1
      }
      yield piece
    }
  }

  /** Returns a sentence with their number and lines, behind a space; empty for none. */
  describe(): string {
    if (this.#found.size === 0) return ''
    const count = `at least ${this.#found.size} e-mail ${this.#found.size === 1 ? 'address' : 'addresses'}`
    const more = this.#lines.size > namedLines ? ` and ${this.#lines.size - namedLines} more` : ''
    const lines = `${this.#lines.size === 1 ? 'line' : 'lines'} ${[...this.#lines].slice(0, namedLines).join(', ')}`
    return ` It holds ${count} (${lines}${more}), not redacted: look there before you store the file.`
  }

  #findIn(text: string, line: number): void {
    for (const [address] of decodeEscapes(text).matchAll(emailAddress)) {
      this.#found.add(address.toLowerCase().replace('%40', '@'))
      this.#lines.add(line)
    }
  }
}

/** Decodes the escapes of JSON, also within a text of JSON: in `\njane\u0040example.com` the n is a part of one. */
function decodeEscapes(text: string): string {
  return text
    .replace(/\\{1,4}u([\da-f]{4})/gi, (_escape, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[bfnrt]/g, ' ')
}

/**
 * The pattern of an e-mail address, also in a query. Its letters are those of any script (`\p{M}`: their accents). Its
 * last label has letters alone: `convsim@0.1.0` is none.
 */
const emailAddress =
  /(?<![\p{L}\p{M}\p{N}_.+-])[\p{L}\p{M}\p{N}_.+-]+(?:@|%40)(?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}[\p{L}\p{M}]+/giu
