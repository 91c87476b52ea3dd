import { findNearest } from '../../base/core/text.ts'
import { flagOf } from '../../server/settings/setting.ts'
import { serverSettings, variableOf } from '../../server/settings/settings.ts'
import type { CommandSyntax } from './program.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Removes variables that Kubernetes sets per service: `CONVSIM_PORT=tcp://10.0.0.1:4010` for the service `convsim`. */
export function removeServiceLinks(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value = '']) => !isServiceLink(name, value)))
}

function isServiceLink(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)|_PORT_\d{1,5}_(TCP|UDP|SCTP)/.test(name)) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}

const PREFIX = 'CONVSIM_'

export function findVariableProblem(commands: readonly CommandSyntax[], env: Environment): string | undefined {
  const known = Object.keys(serverSettings).flatMap((name) => variableOf(name) ?? [])
  const accepted = [...known, ...commands.flatMap(({ variables = [] }) => variables)]
  const unknown = Object.keys(env).find((name) => name.startsWith(PREFIX) && !accepted.includes(name))
  if (unknown === undefined) return undefined
  const problem = `Unknown environment variable ${unknown}.`
  const flag = `--${unknown.slice(PREFIX.length).replaceAll('_', '-').toLowerCase()}`
  const isFlag = commands.some(({ settings }) => Object.keys(settings).some((name) => flagOf(name) === flag))
  if (isFlag) return `${problem} Use the flag ${flag}.`
  const names = known.map((name) => name.slice(PREFIX.length))
  const nearest = findNearest(unknown.slice(PREFIX.length), names)
  return `${problem} ${nearest === undefined ? 'See convsim serve --help --all.' : `Did you mean ${PREFIX}${nearest}?`}`
}
