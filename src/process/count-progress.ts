/** The line on a terminal that shows how far a command is. */
export interface CountProgress {
  /** Shows a count: `comparing answers: 1200 of 60000`. The line is written five times a second at most. */
  show(title: string, done: number, all: number): void
  /** Removes the line, before something else is printed. */
  clear(): void
}

/** The codes that remove the line of a terminal. */
const clearLine = '\r\u001b[2K'

/** Milliseconds between two writes. */
const intervalMs = 200

/**
 * Creates the line.
 * @param write writes to the terminal; undefined: there is none
 * @param now returns milliseconds
 */
export function createCountProgress(
  write: ((text: string) => void) | undefined,
  command: string,
  now: () => number,
): CountProgress {
  const begun = now()
  let shownAt = begun
  let isShown = false
  return {
    show(title, done, all) {
      if (!write || now() - shownAt < intervalMs) return
      shownAt = now()
      isShown = true
      const seconds = Math.floor((shownAt - begun) / 1000)
      write(`${clearLine}convsim ${command}: ${title}: ${done} of ${all}, ${seconds} s`)
    },
    clear() {
      if (isShown) write?.(clearLine)
      isShown = false
    },
  }
}

/** Finds the terminal on which progress is shown; undefined: stderr is none. */
export function findStderrTerminal(
  stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
): ((text: string) => void) | undefined {
  return stderr.isTTY ? (text) => void stderr.write(text) : undefined
}
