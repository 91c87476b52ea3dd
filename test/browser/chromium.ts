import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

const installCommand = 'apt-get install -y --no-install-recommends chromium'

/** Says why there is no browser, or returns undefined. In CI a missing one is an error, so that no test is skipped. */
export function findBrowserProblem(): string | undefined {
  if (existsSync(executablePath)) return undefined
  const problem = `There is no ${executablePath}: ${installCommand}`
  if (process.env['CI'] === 'true') throw new Error(problem)
  return problem
}

/** Opens a headless browser without background connections. `flags`: further ones of its command line. */
export function openBrowser(...flags: readonly string[]): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...flags,
  ]
  return chromium.launch({ executablePath, args })
}
