/** The end of a scan of bytes that are no JSON: a sentence about the file, without its subject. */
export class ScanError extends Error {}

const codes = (characters: string) => [...characters].map((character) => character.charCodeAt(0))
const [quote = 0, backslash, comma = 0, colon = 0] = codes('"\\,:')
const [openObject = 0, closeObject = 0, openList = 0, closeList = 0] = codes('{}[]')
const space = new Set(codes(' \n\r\t'))
const literal = new Set(codes('-+.0123456789aeflnrstuE'))

/** Reads the value at an index, and returns the index behind it. */
type ReadValue = (at: number) => number

/** Reads the outlines of JSON: what is within a value that is passed over is not checked. */
export class JsonScanner {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads a whole document, which is an object or a list. */
  readDocument(read: ReadValue): void {
    const hasMark = this.#bytes[0] === 0xef && this.#bytes[1] === 0xbb && this.#bytes[2] === 0xbf
    const start = this.#skipSpace(hasMark ? 3 : 0)
    if (start === this.#bytes.length) throw new ScanError('is empty. Export the traffic anew.')
    if (!this.isObject(start) && !this.isList(start)) throw new ScanError(`is no JSON object.${this.#describeForm()}`)
    const end = this.#skipSpace(read(start))
    if (end < this.#bytes.length) throw new ScanError(`is no JSON: something follows its end at byte ${end + 1}.`)
  }

  #describeForm(): string {
    const [first, second] = this.#bytes
    if (first === 0x1f && second === 0x8b) return ' It is compressed: unpack it with gzip -d.'
    if (first === 0x50 && second === 0x4b) return ' It is a ZIP archive: unpack it.'
    const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
    return isWide ? ' It is UTF-16: save it as UTF-8.' : ''
  }

  isObject(at: number): boolean {
    return this.#bytes[at] === openObject
  }

  isList(at: number): boolean {
    return this.#bytes[at] === openList
  }

  /** Reads an object. `read` gets the names of its members, as they are written. */
  readObject(start: number, read: (name: string, at: number) => number): number {
    return this.#readContainer(start, closeObject, (at) => {
      if (this.#bytes[at] !== quote) throw this.#fault(at)
      const nameEnd = this.#endOfString(at)
      const name = Buffer.from(this.#bytes.subarray(at + 1, nameEnd - 1)).toString()
      return read(name, this.#skipSpace(this.#expect(colon, this.#skipSpace(nameEnd))))
    })
  }

  readList(start: number, read: ReadValue): number {
    return this.#readContainer(start, closeList, read)
  }

  #readContainer(start: number, close: number, read: ReadValue): number {
    let at = this.#skipSpace(start + 1)
    if (this.#bytes[at] === close) return at + 1
    for (;;) {
      at = this.#skipSpace(read(at))
      if (this.#bytes[at] === close) return at + 1
      at = this.#skipSpace(this.#expect(comma, at))
    }
  }

  /** Passes over a value. */
  skip(start: number): number {
    const first = this.#bytes[start]
    if (first === quote) return this.#endOfString(start)
    if (first === openObject || first === openList) return this.#endOfContainer(start)
    let at = start
    while (literal.has(this.#bytes[at] ?? 0)) at += 1
    if (at === start) throw this.#fault(at)
    return at
  }

  #endOfContainer(start: number): number {
    let depth = 0
    for (let at = start; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at]
      if (byte === quote) at = this.#endOfString(at) - 1
      else if (byte === openObject || byte === openList) depth += 1
      else if (byte === closeObject || byte === closeList) depth -= 1
      if (depth === 0) return at + 1
    }
    throw this.#fault(this.#bytes.length)
  }

  #endOfString(opening: number): number {
    let at = this.#bytes.indexOf(quote, opening + 1)
    while (at >= 0 && this.#isEscaped(at)) at = this.#bytes.indexOf(quote, at + 1)
    if (at < 0) throw this.#fault(this.#bytes.length)
    return at + 1
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0
    while (this.#bytes[at - 1 - backslashes] === backslash) backslashes += 1
    return backslashes % 2 === 1
  }

  #expect(character: number, at: number): number {
    if (this.#bytes[at] !== character) throw this.#fault(at)
    return at + 1
  }

  #skipSpace(from: number): number {
    let at = from
    while (space.has(this.#bytes[at] ?? 0)) at += 1
    return at
  }

  #fault(at: number): ScanError {
    return at < this.#bytes.length
      ? new ScanError(`is no JSON: byte ${at + 1} is not what has to come there. Export the traffic anew.`)
      : new ScanError(`is cut off: it ends at byte ${at}, within a value. Export the traffic anew.`)
  }
}
