const { TestEnvironment } = require('jest-environment-node')

/** The globals that Jest's jsdom environment lacks or replaces with jsdom classes. */
const missingGlobals = [
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
    for (const name of missingGlobals) delete this.global[name]
  }
}
