import { defineConfig } from 'vitest/config'
import { ClosingLineReporter } from './support/closing-line-reporter.ts'
import { ControlAnswersReporter } from './support/control-answers/reporter.ts'
import { SlowFileReporter } from './support/slow-file-reporter.ts'

const controlAnswers = new ControlAnswersReporter()

export default defineConfig({
  test: {
    root: new URL('../', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: ['test/recipes/client/**'], // a project of its own
    globalSetup: ['test/support/build-once.ts'],
    setupFiles: ['test/support/control-answers/setup.ts'],
    reporters: ['default', controlAnswers, new ClosingLineReporter(controlAnswers), new SlowFileReporter()],
    // A limit for tests that never end. On a busy machine, a slow test takes three times as long as alone.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
