import { defineConfig } from 'vitest/config'
import { ClosingLineReporter } from './support/closing-line-reporter.ts'
import { ControlResponsesReporter } from './support/control-responses/reporter.ts'

const controlResponses = new ControlResponsesReporter()

/** Test files that replace modules or set V8 flags. Each runs in its own process. All other files share modules. */
const isolated = ['test/server/simulator/no-growth.test.ts', 'test/client/testing/testcontainers.test.ts']

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
    tags: [{ name: 'long', description: 'skipped by `npm test`; run by `.ci/run` and `npm run test:long`' }],
    globalSetup: ['test/support/build-once.ts'],
    setupFiles: ['test/support/control-responses/setup.ts'],
    reporters: ['default', controlResponses, new ClosingLineReporter(controlResponses)],
    // Stops only tests that hang. On a busy machine, a test that starts processes can take 20 times as long as usual.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    // One more than the number of cores in CI, since many tests spend much of their time waiting.
    maxWorkers: 3,
  },
})
