import { type ExpectStatic, expect as vitestExpect, test as vitestTest } from 'vitest'
import type { SandboxClient } from '../client/sandbox.ts'
import type { Names } from '../client/typed-names.ts'
import { type SandboxMatchers, sandboxMatchers } from './matchers.ts'
import { openSandbox, type SandboxFixtures } from './test-sandbox.ts'

/** vitest's `test` with the fixture `sim`: `test('sends an event', async ({ sim }) => { ... })`. */
export const test = vitestTest.extend<SandboxFixtures>({
  sim: async ({ task }, use) => {
    const { sim, close } = await openSandbox({ file: task.file.name, names: namesOf(task) })
    await use(sim)
    await close()
  },
})

/** vitest's `expect` with the matchers of a sandbox: `await expect(sim).toHaveReceived('createEvent', { times: 1 })`. */
export interface VitestExpect extends ExpectStatic {
  <N extends Names>(
    sim: SandboxClient<N>,
    message?: string,
  ): SandboxMatchers<N> & { readonly not: SandboxMatchers<N> }
}

vitestExpect.extend(sandboxMatchers)
export const expect = vitestExpect as VitestExpect // has the matchers since the line above

/** Returns the names of the groups around a test, and its own. */
function namesOf(task: { readonly name: string; readonly suite?: unknown }): string[] {
  const suite = task.suite as typeof task | undefined
  return [...(suite ? namesOf(suite) : []), task.name]
}
