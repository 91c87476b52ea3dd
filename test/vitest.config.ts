import { defineConfig } from 'vitest/config'
import { ClosingLine } from './support/closing-line.ts'
import { StillRunning } from './support/still-running.ts'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    reporters: ['default', new ClosingLine(), new StillRunning()],
    testTimeout: 20_000,
    maxWorkers: 2,
  },
})
