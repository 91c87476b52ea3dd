const name = 'conversation-analytics-simulator'

module.exports = {
  testMatch: ['**/jest.test.cjs'],
  transform: {},
  ...(process.env.SETUP && { globalSetup: `${name}/global-setup`, globalTeardown: `${name}/global-teardown` }),
}
