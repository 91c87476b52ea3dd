import { relative } from 'node:path'
import type { TestContext } from 'node:test'
import type { BundledNames, Names } from '../typed-names.ts'
import { openSandbox, type TestSandbox } from './test-sandbox.ts'

/**
 * Opens a sandbox for a `node:test` test: `test('sends', async (t) => { const sim = await useSandbox(t) })`. The
 * test fails at the end if the client has findings that `sim.allow` did not allow.
 */
export async function useSandbox<N extends Names = BundledNames>(context: TestContext): Promise<TestSandbox<N>> {
  if (!context) throw new TypeError('useSandbox requires the test context: async (t) => { await useSandbox(t) }')
  // In Node 20, `filePath` is undefined, but each test file is the main script of its own process.
  const { filePath = process.argv[1] ?? '' } = context as { readonly filePath?: string }
  const file = relative(process.cwd(), filePath)
  const { sim, close } = await openSandbox<N>({ file, names: [context.fullName ?? context.name] })
  context.after(close)
  return sim
}
