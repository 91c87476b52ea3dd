export default {
  test: {
    environment: './vitest-browser.mjs',
    include: ['vitest.test.mjs'],
    globalSetup: process.env.SETUP ? 'conversation-analytics-simulator/global-setup' : [],
  },
}
