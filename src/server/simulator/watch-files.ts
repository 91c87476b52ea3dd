import { stat } from 'node:fs/promises'
import { sleep } from '../../base/core/timers.ts'

const pollMs = 150

/** The looks for which a file may be missing: editors and deployments remove a file before they replace it. */
const maxMissingLooks = 10

/** A text that changes with each file, by its path; undefined for a file that does not exist. */
type Stamps = ReadonlyMap<string, string | undefined>

/** Calls `onChange` with the changed files, and waits for it before the next look, until `stopping`. */
export type WatchFiles = (
  stopping: AbortSignal,
  onChange: (changed: readonly string[]) => Promise<void>,
) => Promise<void>

/**
 * Creates a watcher of the files that `listFiles` returns at each look; one more or one fewer is a change, too. It
 * compares times, sizes and inodes at intervals. Events of `fs.watch` do not come for a file that an editor replaces, a
 * symbolic link that is turned to another folder (config maps of Kubernetes), and most folders that a container shares
 * with its host. A look at nine files takes some 0.2 ms.
 */
export async function createFileWatcher(listFiles: () => readonly string[]): Promise<WatchFiles> {
  let known = await readStamps(listFiles())
  return async function watchFiles(stopping, onChange) {
    let seen = known
    let looks = 0
    while (await waitForNextLook(stopping)) {
      const present = await readStamps(listFiles())
      looks = listChanged(seen, present).length === 0 ? looks + 1 : 0
      seen = present
      const changed = listChanged(known, present)
      // A file that has just changed may still be written.
      const neededLooks = changed.every((file) => present.get(file)) ? 1 : maxMissingLooks
      if (changed.length === 0 || looks < neededLooks) continue
      known = present
      await onChange(changed)
    }
  }
}

/** Returns false once `stopping` is aborted. The timer does not keep the process from ending. */
async function waitForNextLook(stopping: AbortSignal): Promise<boolean> {
  await sleep(pollMs, undefined, { ref: false, signal: stopping }).catch(() => undefined)
  return !stopping.aborted
}

async function readStamps(files: readonly string[]): Promise<Stamps> {
  return new Map(await Promise.all(files.map(async (file) => [file, await readStamp(file)] as const)))
}

/** Returns a text that changes with the file that the path leads to; undefined if there is no such file. */
async function readStamp(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined)
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}

function listChanged(before: Stamps, after: Stamps): string[] {
  const files = new Set([...before.keys(), ...after.keys()])
  return [...files].filter((file) => before.get(file) !== after.get(file))
}
