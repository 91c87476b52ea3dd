/** An expectation about the requests of a sandbox that was not met. Its stack begins in the code that expects. */
export class ExpectationError extends Error {
  override name = 'ExpectationError'

  /** `frames`: the lines of the stack, each after a line feed; default: those of the caller, without our own file. */
  constructor(message: string, frames?: string) {
    super(message)
    const lines = this.stack?.split(/\n(?= {4}at )/).slice(1) ?? []
    const [first = ''] = lines
    const own = first.slice(first.indexOf('/'), first.lastIndexOf(':', first.lastIndexOf(':') - 1))
    const callers = lines.slice(lines.findIndex((line) => ![own, 'node:internal'].some((file) => line.includes(file))))
    this.stack = `${this.name}: ${message}${frames ?? callers.map((line) => `\n${line}`).join('')}`
  }
}
