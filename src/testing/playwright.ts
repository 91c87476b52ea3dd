import { relative } from 'node:path'
import { type Expect, expect as playwrightExpect, test as playwrightTest } from '@playwright/test'
import type { SandboxClient } from '../client/sandbox.ts'
import type { Names } from '../client/typed-names.ts'
import { type SandboxMatchers, sandboxMatchers } from './matchers.ts'
import { openSandbox, type SandboxFixtures } from './test-sandbox.ts'

/** Playwright's `test` with the fixture `sim`: `test('shows an outage', async ({ page, sim }) => { ... })`. */
export const test = playwrightTest.extend<SandboxFixtures>({
  sim: async ({ browserName }, use, { config, file, project, repeatEachIndex, titlePath }) => {
    const names = [
      browserName,
      project.name,
      ...titlePath.slice(1),
      ...(repeatEachIndex > 0 ? [`${repeatEachIndex}`] : []),
    ]
    const { sim, close } = await openSandbox({ file: relative(config.rootDir, file), names })
    await use(sim)
    await close()
  },
})

/** Playwright's `expect` with the matchers of a sandbox: `await expect(sim).toHaveReceived('createEvent', { times: 1 })`. */
export interface PlaywrightExpect extends Expect<object> {
  <N extends Names>(
    sim: SandboxClient<N>,
    message?: string,
  ): SandboxMatchers<N> & { readonly not: SandboxMatchers<N> }
}

export const expect = playwrightExpect.extend(sandboxMatchers) as unknown as PlaywrightExpect // has the matchers
