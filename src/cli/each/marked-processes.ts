import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** The environment variable whose value a command and all its descendants share, also those in other process groups. */
export const runVariable = 'CONVSIM_RUN'

/** Creates the value of the variable for one run. `outer`: that of this process, which another `convsim exec` runs; undefined: none does. */
export function createMark(outer: string | undefined): { readonly id: string; readonly value: string } {
  const id = randomUUID()
  return { id, value: outer ? `${outer} ${id}` : id } // so that the outer one finds the processes of this one, too
}

/** The number of searches; a process may start another one while it is killed. */
const maxSearches = 5

/** Kills all processes with a mark. Only Linux shows the environment of a process: elsewhere it does nothing. */
export function killMarked(id: string, host: NodeJS.Process): void {
  if (host.platform !== 'linux') return
  for (let search = 0; search < maxSearches; search += 1) {
    const found = findMarked(id)
    if (found.length === 0) return
    for (const pid of found) killProcess(pid, host)
  }
}

function findMarked(id: string): readonly number[] {
  return listProcesses().filter((pid) => hasMark(pid, id))
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return [] // /proc is not mounted
  }
}

/** Returns false for a process that has ended, or that belongs to another user. */
function hasMark(pid: number, id: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(id)
  } catch {
    return false
  }
}

/** Kills a process, or the process group -`pid`; does nothing where it has ended. */
export function killProcess(pid: number, host: NodeJS.Process): void {
  try {
    host.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
