import { findSimilar } from '../../base/core/similar.ts'
import { flagOf } from '../../server/settings/setting.ts'
import { serverSettings, variableOf } from '../../server/settings/settings.ts'
import type { CommandSyntax } from './command-syntax.ts'

/** Environment variables, e.g. `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment without the variables that Kubernetes sets for services: a service "convsim" looks like
 * settings, e.g. `CONVSIM_PORT=tcp://10.0.0.1:4010`.
 */
export function removeServiceLinks(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value = '']) => !isServiceLink(name, value)))
}

function isServiceLink(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)|_PORT_\d{1,5}_(TCP|UDP|SCTP)/.test(name)) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}

/** Returns the problem of a variable `CONVSIM_...` that is no setting, or undefined if there is none. */
export function findVariableProblem(commands: readonly CommandSyntax[], env: Environment): string | undefined {
  const known = Object.keys(serverSettings).flatMap((name) => variableOf(name) ?? [])
  const understood = [...known, ...commands.flatMap(({ variables = [] }) => variables)]
  const unknown = Object.keys(env).find((name) => name.startsWith('CONVSIM_') && !understood.includes(name))
  if (unknown === undefined) return undefined
  const problem = `There is no setting for the environment variable ${unknown}.`
  const flag = `--${unknown.slice('CONVSIM_'.length).replaceAll('_', '-').toLowerCase()}`
  const isFlag = commands.some(({ settings }) => Object.keys(settings).some((name) => flagOf(name) === flag))
  if (isFlag) return `${problem} Give the flag ${flag}.`
  const similar = findSimilar(unknown, known)
  const suggestion = similar === undefined ? '' : ` Did you mean ${similar}?`
  return `${problem}${suggestion} Known: ${known.join(', ')}.`
}
