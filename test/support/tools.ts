import { existsSync } from 'node:fs'

/** The programs that some tests need, by their names as packages of Debian. */
export const tools = {
  chromium: { path: '/usr/bin/chromium', tests: 'in a browser' },
  'redis-server': { path: '/usr/bin/redis-server', tests: 'of a state in Redis' },
} as const

/** Returns true if a program is missing. Its tests are skipped. */
export const isMissing = (tool: keyof typeof tools) => !existsSync(tools[tool].path)

/** Says once per run which tests are skipped. In CI a missing program is an error, so that no test is skipped. */
export function setup(): void {
  for (const tool of Object.keys(tools) as (keyof typeof tools)[]) {
    if (!isMissing(tool)) continue
    const problem = `There is no ${tools[tool].path}: apt-get install -y --no-install-recommends ${tool}`
    if (process.env['CI'] === 'true') throw new Error(problem)
    console.error(`The tests ${tools[tool].tests} are skipped. ${problem}`)
  }
}
