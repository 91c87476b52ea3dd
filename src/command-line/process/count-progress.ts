/** The line on a terminal that shows how far a command is. */
export interface CountProgress {
  /** Shows a count: `comparing responses: 1200 of 60000`. The line is written five times a second at most. */
  show(title: string, done: number, all: number): void
  /** Removes the line, before something else is printed. */
  clear(): void
}

/** The codes that remove the line of a terminal. */
const clearLine = '\r\u001b[2K'

/** Milliseconds between two writes. */
const intervalMs = 200

/** Creates the line. It is never shown if `stderr` is no terminal. `now` returns milliseconds. */
export function createCountProgress(
  stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  command: string,
  now: () => number,
): CountProgress {
  const begun = now()
  let shownAt = begun
  let isShown = false
  return {
    show(title, done, all) {
      if (!stderr.isTTY || now() - shownAt < intervalMs) return
      shownAt = now()
      isShown = true
      const seconds = Math.floor((shownAt - begun) / 1000)
      stderr.write(`${clearLine}convsim ${command}: ${title}: ${done} of ${all}, ${seconds} s`)
    },
    clear() {
      if (isShown) stderr.write(clearLine)
      isShown = false
    },
  }
}
