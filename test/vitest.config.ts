import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 20_000,
    maxWorkers: 2,
  },
})
