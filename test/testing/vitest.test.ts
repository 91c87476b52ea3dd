import { describeRunner, readJestReport } from './contract.ts'
import type { Runner } from './runner.ts'

const runner: Runner = {
  section: 'vitest',
  cases: 'vitest',
  packages: ['vitest', '@vitest/runner', '@vitest/expect'],
  format: 'esm',
  command: ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--outputFile=report.json'],
  readOutcomes: readJestReport,
}

describeRunner(runner, {
  passed: [
    'test.fails holds for findings',
    'errors are those of the library',
    'a retried test begins anew',
    'a repeated test begins anew',
    'two tests of test.for have this name',
    'two tests of test.for have this name',
    'two concurrent tests have this name',
    'two concurrent tests have this name',
  ],
  failed: {},
  differing: 'matchers tell what differs',
  repeated: {
    'a retried test begins anew': 'one sandbox',
    'a repeated test begins anew': 'one sandbox',
    'two tests of test.for have this name': 'one sandbox',
    'two concurrent tests have this name': 'own sandboxes',
  },
  runElsewhere: (project, env) => project.run([], env),
  runWithoutSetup(project) {
    project.write('bare.config.js', 'export default {}')
    return project.run(['--config=bare.config.js'])
  },
  compiled: [
    ['purchases.test.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ['types.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ['types.ts', '--module', 'nodenext', '--exactOptionalPropertyTypes'],
  ],
})
