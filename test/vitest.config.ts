import { defineConfig } from 'vitest/config'
import { ClosingLineReporter } from './support/closing-line-reporter.ts'
import { ControlResponsesReporter } from './support/control-responses/reporter.ts'

const controlResponses = new ControlResponsesReporter()

/** The files that replace modules or set flags of V8. Each has a process; others share modules. */
const isolated = [
  'test/server/simulator/no-growth.test.ts',
  'test/client/testing/testcontainers.test.ts',
]

export default defineConfig({
  test: {
    root: new URL('../', import.meta.url).pathname,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: isolated,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
    tags: [{ name: 'long', description: 'runs only in `.ci/run`, by `npm run test:long`' }],
    globalSetup: ['test/support/build-once.ts'],
    setupFiles: ['test/support/control-responses/setup.ts'],
    reporters: ['default', controlResponses, new ClosingLineReporter(controlResponses)],
    // Limits for tests that never end. Beside other work, one that starts processes takes twenty times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    // One more than the cores that CI has: many tests wait, for processes and for pauses that are really made.
    maxWorkers: 3,
  },
})
