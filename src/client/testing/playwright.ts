import { relative } from 'node:path'
import {
  type Expect,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  expect as playwrightExpect,
  test as playwrightTest,
  type TestType,
} from '@playwright/test'
import { type ExpectSandbox, sandboxMatchers } from './matchers.ts'
import { openSandbox, type SandboxFixtures } from './test-sandbox.ts'

/** Playwright's `test` with a `sim` fixture: `test('shows an outage', async ({ page, sim }) => { ... })`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & SandboxFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = playwrightTest.extend<SandboxFixtures>({
  sim: async ({ browserName }, use, { config, file, project, repeatEachIndex, titlePath }) => {
    const names = [
      ...new Set([browserName, project.name]),
      ...titlePath.slice(1),
      ...(repeatEachIndex > 0 ? [`${repeatEachIndex}`] : []),
    ]
    const { sim, close } = await openSandbox({ file: relative(config.rootDir, file), names })
    await use(sim)
    await close()
  },
})

/** Playwright's `expect` with sandbox matchers: `await expect(sim).toHaveReceived('createEvent', { times: 1 })`. */
interface PlaywrightExpect extends ExpectSandbox, Expect<object> {}

export const expect: PlaywrightExpect = playwrightExpect.extend(sandboxMatchers) as unknown as PlaywrightExpect
