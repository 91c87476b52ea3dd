const of = 'conversation-analytics-simulator'

module.exports = {
  testMatch: ['**/jest.test.cjs'],
  transform: {},
  ...(process.env.SETUP && { globalSetup: `${of}/global-setup`, globalTeardown: `${of}/global-teardown` }),
}
