/** The number of lines that are kept. */
const maxLines = 40

/** The number of characters that are kept of a line. */
const maxLength = 500

/** Keeps the last lines of several streams, in the order in which the lines end. */
export class LastLines {
  readonly #lines: string[] = []
  readonly #open: { text: string }[] = []

  /** Returns a function that adds text of a further stream. */
  openStream(): (text: string) => void {
    const line = { text: '' }
    this.#open.push(line)
    return (text) => {
      const [first = '', ...others] = text.split('\n')
      line.text = cut(line.text + first)
      for (const next of others.slice(-maxLines - 1)) {
        this.#add(line.text)
        line.text = cut(next)
      }
    }
  }

  /** Returns the lines, those without an end last; empty lines are left out. */
  list(): string[] {
    const all = [...this.#lines, ...this.#open.map(({ text }) => clean(text))]
    return all.filter((line) => line !== '').slice(-maxLines)
  }

  #add(line: string): void {
    const text = clean(line)
    if (text === '') return
    this.#lines.push(text)
    if (this.#lines.length > maxLines) this.#lines.shift()
  }
}

const cut = (text: string) => text.slice(0, maxLength)

const escapeCharacter = String.fromCharCode(27)

/** Removes the codes of colours, and other control characters. */
function clean(line: string): string {
  const [first = '', ...parts] = line.split(escapeCharacter)
  const text = [first, ...parts.map((part) => part.replace(/^\[[\d;?]*[A-Za-z]/, ''))].join('')
  return text.replace(/\p{Cc}/gu, ' ').trimEnd()
}
