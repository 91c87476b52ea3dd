/** A reporter for `node:test` that yields a line of JSON for each finished test. */
async function* report(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const status = data.skip === undefined ? (type === 'test:pass' ? 'passed' : 'failed') : 'skipped'
    const { error } = data.details
    const message = error === undefined ? '' : `${error.message}\n${error.cause?.message ?? ''}`
    yield `${JSON.stringify({ title: data.name, status, message })}\n`
  }
}

export { report as default }
