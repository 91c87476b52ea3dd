import { type ExpectStatic, type TestAPI, expect as vitestExpect, test as vitestTest } from 'vitest'
import { type ExpectSandbox, sandboxMatchers } from './matchers.ts'
import { startSimulator } from './start-simulator.ts'
import { openSandbox, type SandboxFixtures } from './test-sandbox.ts'

/**
 * vitest's `test` with a `sim` fixture: `test('sends an event', async ({ sim }) => { ... })`. Unless
 * `CONVSIM_CONTROL_URL` is set, each worker starts its own simulator, which stops when the worker exits.
 */
export const test: TestAPI<SandboxFixtures> = vitestTest.extend<SandboxFixtures>({
  sim: async ({ task, onTestFinished }, use) => {
    const location = { file: task.file.name, names: [...projectOf(task.file), ...testNamesOf(task)] }
    const { sim, close } = await openSandbox(location, startSimulator)
    onTestFinished(close) // in vitest 4.1, an error after `use` is shown twice and makes every retry fail
    await use(sim)
  },
})

/** vitest's `expect` with sandbox matchers: `await expect(sim).toHaveReceived('createEvent', { times: 1 })`. */
interface VitestExpect extends ExpectSandbox, ExpectStatic {}

vitestExpect.extend(sandboxMatchers)
export const expect: VitestExpect = vitestExpect as VitestExpect // the line above added the matchers

/** Returns the name of the file's vitest project, if any, as a list. Several projects can run the same file. */
const projectOf = ({ projectName }: { readonly projectName?: string | undefined }) => (projectName ? [projectName] : [])

/** Returns the names of the groups around a test, outermost first, and the name of the test. */
function testNamesOf(task: { readonly name: string; readonly suite?: unknown }): string[] {
  const suite = task.suite as typeof task | undefined
  return [...(suite ? testNamesOf(suite) : []), task.name]
}
