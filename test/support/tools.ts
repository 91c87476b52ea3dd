import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the path of a program, or only the name if the program is missing. */
function findProgram(name: string): string {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
  return paths.find((path) => existsSync(path)) ?? name
}

/** The programs that some tests need, by Debian package name. */
export const tools = {
  chromium: { path: findProgram('chromium'), tests: 'that need a browser' },
  'redis-server': { path: findProgram('redis-server'), tests: 'that need Redis' },
} as const

/** Returns true if a program is missing, in which case the tests that need it are skipped. */
export const isMissing = (tool: keyof typeof tools) => tools[tool].path === tool

/** Returns a message for each missing program, with the affected tests and the command that installs the program. */
export function describeMissingTools(): string[] {
  const missing = (Object.keys(tools) as (keyof typeof tools)[]).filter(isMissing)
  return missing.map(
    (tool) =>
      `The tests ${tools[tool].tests} cannot run, because ${tool} is not on the PATH. ` +
      `To install it, run: apt-get install -y --no-install-recommends ${tool}`,
  )
}
