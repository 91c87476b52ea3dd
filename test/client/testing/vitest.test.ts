// @module-tag long
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'
import { describeRunner, readJestReport } from './contract.ts'
import { readBlocks } from './runner.ts'

const options = ['run', '--reporter=json', '--outputFile=report.json', '--testTimeout=60000']

const project = describeRunner({
  section: 'vitest',
  cases: 'vitest',
  packages: ['vitest', '@vitest/runner', '@vitest/expect'],
  format: 'esm',
  command: ['node_modules/vitest/vitest.mjs', ...options],
  optionsWithoutSetup: ['--config=bare.config.js'],
  readOutcomes: readJestReport,
  passed: [
    'test.fails accepts findings as failures',
    'a client waits with fake timers',
    'a failed expectation throws the exported ExpectationError',
    'a retried test starts with an empty sandbox',
    'a repeated test starts with an empty sandbox',
    'two tests from test.for have this name',
    'two tests from test.for have this name',
    'two concurrent tests have this name',
    'two concurrent tests have this name',
  ],
  mismatch: 'matchers report what differs',
  repeated: {
    'a retried test starts with an empty sandbox': 'one sandbox',
    'a repeated test starts with an empty sandbox': 'one sandbox',
    'two tests from test.for have this name': 'one sandbox',
    'two concurrent tests have this name': 'separate sandboxes',
  },
  startsSimulator: true,
  compilations: [
    ['purchases.test.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ['types.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ['types.ts', '--module', 'nodenext', '--exactOptionalPropertyTypes'],
  ],
})

test('a test fails with the message in docs/testing.md if the client waits for half the requested time', async () => {
  const blocks = readBlocks()
  const client = blocks.find(({ file }) => file === 'client.ts')?.text ?? ''
  const message = blocks.find(({ language, section }) => language === 'text' && section === 'vitest')?.text ?? ''
  expect(client).toContain('* 1000')
  project().write('client.js', transformSync(client.replace('* 1000', '* 500'), { loader: 'ts' }).code)
  const { outcomes } = await project().run(['purchases'])
  expect(outcomes).toMatchObject([{ status: 'failed' }])
  const sentence = message.trim().slice(0, message.trim().lastIndexOf('sooner')) // omits the client's waiting time
  expect(outcomes[0]?.message).toContain(sentence)
})

test('a custom setup can start a simulator with its own settings', async () => {
  const setup = readBlocks().find(({ section }) => section === 'Your own simulator')
  project().write(setup?.file ?? '', setup?.text ?? '')
  project().write('own.config.js', `export default { test: { globalSetup: './${setup?.file}' } }`)
  project().write(
    'own.test.js',
    `import { expect, test } from 'conversation-analytics-simulator/vitest'
    test('the clock is frozen', async ({ sim }) => {
      expect(await sim.clock.read()).toEqual({ mode: 'frozen', now: '2026-01-15T12:00:00.000Z' })
    })`,
  )
  const { outcomes } = await project().run(['--config=own.config.js', 'own.test.js'])
  expect(outcomes).toMatchObject([{ status: 'passed' }])
})

test('two projects that run the same file concurrently have separate sandboxes', async () => {
  project().write(
    'projects.config.js',
    `export default { test: {
      globalSetup: 'conversation-analytics-simulator/global-setup',
      projects: ['one', 'two'].map((name) => ({ test: { name, include: ['other.test.js'] } })),
    } }`,
  )
  const { code, records } = await project().run(['--config=projects.config.js'])
  expect(code).toBe(0)
  expect(records.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, '')).sort()).toEqual([
    'other-test-js-one-another-file-uses-the-same-simul',
    'other-test-js-two-another-file-uses-the-same-simul',
  ])
})

test.each(['threads', 'vmThreads', 'vmForks'])('all workers share one simulator with --pool=%s', async (pool) => {
  const { outcomes, records } = await project().run([`--pool=${pool}`, 'cases', 'other'])
  expect(outcomes.filter(({ status }) => status === 'failed')).toHaveLength(5)
  expect(new Set(records.map(({ controlUrl }) => controlUrl)).size).toBe(1)
})
