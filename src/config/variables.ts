import { findSimilar } from '../core/similar.ts'
import { allSettings, olderVariableOf, variableOf } from './settings.ts'

/** Environment variables, e.g. `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The variables that `exec` sets for its command, which may start convsim again. */
const variablesOfExec = ['CONVSIM_BASE_URL', 'CONVSIM_CONTROL_URL', 'CONVSIM_RUN']

/** The variable of the token for the real service. It has no flag, since other users can read the arguments of a process. */
export const upstreamTokenVariable = 'CONVSIM_UPSTREAM_TOKEN'

/**
 * Returns the environment without the variables that Kubernetes sets for services: those of a service with the name "convsim" look like
 * settings, e.g. `CONVSIM_PORT=tcp://10.0.0.1:4010`.
 */
export function removeServiceLinks(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value = '']) => !isServiceLink(name, value)))
}

function isServiceLink(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)|_PORT_\d{1,5}_(TCP|UDP|SCTP)/.test(name)) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}

/**
 * Finds a variable without a setting, or a setting whose two variables differ. Undefined: there is none. `hasFlag`: true for the name of a
 * setting that a flag gives, since its variables are not read.
 */
export function findVariableProblem(
  env: Environment,
  hasFlag: (name: string) => boolean,
): string | undefined {
  const known = allSettings.map(([, setting]) => variableOf(setting))
  const understood = [
    ...known,
    ...allSettings.map(([, setting]) => olderVariableOf(setting)),
    ...variablesOfExec,
    upstreamTokenVariable,
  ]
  const unknown = Object.keys(env).find((name) => /^(CONV)?SIM_/.test(name) && !understood.includes(name))
  if (unknown !== undefined) {
    const similar = findSimilar(unknown.replace(/^SIM_/, 'CONVSIM_'), known)
    const suggestion = similar === undefined ? '' : ` Did you mean ${similar}?`
    return `There is no setting for the environment variable ${unknown}.${suggestion} Known: ${known.join(', ')}.`
  }
  for (const [name, setting] of allSettings) {
    const [variable, older] = [variableOf(setting), olderVariableOf(setting)]
    const differ = env[variable] && env[older] && env[variable] !== env[older]
    if (differ && !hasFlag(name))
      return `${variable} and ${older} are both set, to different values. Set ${variable} alone; ${older} is its name of earlier versions.`
  }
  return undefined
}
