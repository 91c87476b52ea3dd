import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

const howToGetIt = 'apt-get install -y --no-install-recommends chromium'

/** Why there is no browser here; undefined where there is one. In CI its absence is an error, so that nothing is skipped unseen. */
export function whyNoBrowser(): string | undefined {
  if (existsSync(executablePath)) return undefined
  const why = `There is no ${executablePath}: ${howToGetIt}`
  if (process.env['CI'] === 'true') throw new Error(why)
  return why
}

/** A browser without a window that speaks to nobody but us. */
export function openBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  return chromium.launch({ executablePath, args })
}
