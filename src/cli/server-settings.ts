import { readFileSync } from 'node:fs'
import { parseCommandLine } from '../config/arguments.ts'
import type { Settings } from '../config/settings.ts'
import type { Environment } from '../config/variables.ts'

/**
 * Finds the address of the server whose health is requested: that of `ownSettings`, but without a flag for it that of process 1 if it is
 * this program. In a container (`docker run convsim --port 5000`) only the command line of process 1 has the port. `argv`: of this process.
 */
export function findServerSettings(
  ownSettings: Settings,
  [, program = '', ...ownArguments]: readonly string[],
  env: Environment,
): Settings {
  const hasAddress = ownArguments.some((word) => /^(-[ph]|--(port|host)(=|$))/.test(word))
  const serverCommand = hasAddress ? [] : readCommandOfProcess1()
  const at = serverCommand.indexOf(program)
  if (at < 0) return ownSettings
  const served = parseCommandLine(serverCommand.slice(at + 1), env)
  if (served.kind !== 'run') return ownSettings
  return { ...ownSettings, host: served.settings.host, port: served.settings.port }
}

function readCommandOfProcess1(): string[] {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1)
  } catch {
    return [] // not on Linux
  }
}
