import { relative } from 'node:path'
import type { TestContext } from 'node:test'
import type { BundledNames, Names } from '../client/typed-names.ts'
import { openSandbox, type TestSandbox } from './test-sandbox.ts'

/**
 * Opens a sandbox for a test of `node:test`: `test('sends an event', async (t) => { const sim = await useSandbox(t) })`. At the end,
 * the test fails if the client has findings; `sim.allow` opts out.
 */
export async function useSandbox<N extends Names = BundledNames>(
  context: TestContext,
): Promise<TestSandbox<N>> {
  const file = relative(process.cwd(), process.argv[1] ?? '')
  const { sim, close } = await openSandbox<N>({ file, names: [context.fullName ?? context.name] })
  context.after(close)
  return sim
}
