/** A line on a terminal that shows how far a command is. */
export interface StatusLine {
  /** Replaces the text of the line: `run 3 of 10, 1 finding, 16 s left`. */
  show(text: string): void
  clear(): void
}

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

const clearLine = '\r\u001b[2K'

export function createStatusLine(stderr: Terminal | undefined, title: string): StatusLine {
  const terminal = stderr?.isTTY ? stderr : undefined
  let isShown = false
  return {
    show(text) {
      isShown = true
      terminal?.write(`${clearLine}${title}: ${text}`)
    },
    clear() {
      if (isShown) terminal?.write(clearLine)
      isShown = false
    },
  }
}

export type CountProgress = ReturnType<typeof createCountProgress>

const intervalMs = 200

/** Creates the status line of a command: `comparing responses: 1200 of 60000, 3 s`. `now` returns milliseconds. */
export function createCountProgress(stderr: Terminal, command: string, now: () => number) {
  const { show, clear } = createStatusLine(stderr, `convsim ${command}`)
  const begun = now()
  let shownAt = begun
  return {
    show(title: string, done: number, all: number) {
      if (now() - shownAt < intervalMs) return
      shownAt = now()
      show(`${title}: ${done} of ${all}, ${Math.floor((shownAt - begun) / 1000)} s`)
    },
    clear,
  }
}
