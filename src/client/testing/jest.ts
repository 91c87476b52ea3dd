import { relative } from 'node:path'
import type { BundledNames, Names } from '../typed-names.ts'
import { type OpenSandbox, openSandbox, type TestSandbox } from './test-sandbox.ts'

interface JestGlobals {
  readonly beforeEach: (run: () => Promise<void>) => void
  readonly afterEach: (run: () => Promise<void>) => void
  readonly expect: {
    getState(): { readonly currentTestName?: string; readonly testPath?: string }
  }
}

/**
 * Opens a sandbox for each test in a file or a `describe` block. Returns a function that returns the current sandbox:
 *
 *     const sim = useSandbox()
 *     test('sends an event', async () => { await send(sim().baseUrl) })
 *
 * A test fails at the end if its client has findings that `sim().allow` did not allow.
 */
export function useSandbox<N extends Names = BundledNames>(): () => TestSandbox<N> {
  const { beforeEach, afterEach, expect } = jestGlobals()
  let open: OpenSandbox<N> | undefined
  beforeEach(async () => {
    const { currentTestName = '', testPath = '' } = expect.getState()
    open = await openSandbox<N>({ file: relative(process.cwd(), testPath), names: [currentTestName] })
  })
  afterEach(async () => {
    const last = open
    open = undefined
    await last?.close()
  })
  return () => {
    if (!open)
      throw new Error(
        'No test with a sandbox is running: call this function in a test, or in a beforeEach or afterEach ' +
          'hook, but not in test.concurrent, because Jest does not run hooks for it.',
      )
    return open.sim
  }
}

function jestGlobals(): JestGlobals {
  const globals = globalThis as unknown as Partial<JestGlobals>
  const { beforeEach, afterEach, expect } = globals
  if (!beforeEach || !afterEach || !expect)
    throw new Error("Jest's globals are missing. Call useSandbox in a test file, with injectGlobals enabled.")
  return { beforeEach, afterEach, expect }
}
