const { TestEnvironment } = require('jest-environment-node')

/** The names that Jest's environment of jsdom lacks, or has as classes of jsdom. */
const lacking = [
  'AbortController',
  'AbortSignal',
  'fetch',
  'Headers',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
]

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup()
    for (const name of lacking) delete this.global[name]
  }
}
