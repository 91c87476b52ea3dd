import { readFileSync } from 'node:fs'
import { parseCommandLine } from '../../config/parse.ts'
import type { Environment } from '../../config/variables.ts'
import { commands } from '../commands.ts'

type Address = { readonly host: string; readonly port: number }

/**
 * Finds the address of the server whose health is requested: the given one, but without a flag for it that of process 1
 * if it is this program. In a container (`docker run convsim --port 5000`) only the command line of process 1 has the
 * port. `argv`: of this process.
 */
export function findServerAddress(
  given: Address,
  [, program = '', ...ownArguments]: readonly string[],
  env: Environment,
): Address {
  const hasAddress = ownArguments.some((word) => /^(-[ph]|--(port|host)(=|$))/.test(word))
  const serverCommand = hasAddress ? [] : readCommandOfProcess1()
  const at = serverCommand.indexOf(program)
  const served = at < 0 ? undefined : parseCommandLine(commands, serverCommand.slice(at + 1), env)
  if (served?.kind !== 'run') return given
  const { host, port } = served.settings
  return typeof host === 'string' && typeof port === 'number' ? { host, port } : given
}

function readCommandOfProcess1(): string[] {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1)
  } catch {
    return [] // not on Linux
  }
}
