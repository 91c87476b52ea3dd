/** A failed expectation about the requests in a sandbox. The stack begins in the test's code. */
export class ExpectationError extends Error {
  override name = 'ExpectationError'

  constructor(message: string) {
    super(message)
    const lines = this.stack?.split(/\n(?= {4}at )/).slice(1) ?? []
    const [firstLine = ''] = lines
    const ownFile = firstLine.slice(firstLine.indexOf('/'), firstLine.lastIndexOf(':', firstLine.lastIndexOf(':') - 1))
    const callers = lines.slice(
      lines.findIndex((line) => ![ownFile, 'node:internal'].some((file) => line.includes(file))),
    )
    this.stack = `${this.name}: ${message}${callers.map((line) => `\n${line}`).join('')}`
  }
}
