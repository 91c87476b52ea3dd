/** The failure of an expectation about the requests of a sandbox. Its stack begins in the code of the test. */
export class ExpectationError extends Error {
  override name = 'ExpectationError'

  /** `frames`: the stack's lines, each after a line feed; default: those from the caller of this file on. */
  constructor(message: string, frames?: string) {
    super(message)
    const lines = this.stack?.split(/\n(?= {4}at )/).slice(1) ?? []
    const [firstLine = ''] = lines
    const ownFile = firstLine.slice(firstLine.indexOf('/'), firstLine.lastIndexOf(':', firstLine.lastIndexOf(':') - 1))
    const callers = lines.slice(
      lines.findIndex((line) => ![ownFile, 'node:internal'].some((file) => line.includes(file))),
    )
    this.stack = `${this.name}: ${message}${frames ?? callers.map((line) => `\n${line}`).join('')}`
  }
}
