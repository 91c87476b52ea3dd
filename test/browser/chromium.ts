import { type Browser, chromium } from 'playwright-core'
import { tools } from '../support/tools.ts'

/** Starts a headless browser that makes no background connections. `flags` are additional command-line flags. */
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
  return chromium.launch({ executablePath: tools.chromium.path, args })
}
