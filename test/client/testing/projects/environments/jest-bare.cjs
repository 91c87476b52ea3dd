const { TestEnvironment } = require('jest-environment-node')

/** The names that Jest's jsdom environment lacks, or replaces with classes of jsdom. */
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
