import { defineConfig } from 'vitest/config'
import { ClosingLineReporter } from './support/closing-line.ts'
import { SlowFileReporter } from './support/still-running.ts'

export default defineConfig({
  test: {
    root: new URL('../', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    reporters: ['default', new ClosingLineReporter(), new SlowFileReporter()],
    // Against what never ends: on a machine that others work on, too, all takes thrice its time now and then.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
