import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { splitFiles } from '../../config/setting.ts'
import { bundledContract } from '../../fixtures/bundled.ts'
import { isReplaceable } from '../../reports/replaceable.ts'
import { patchMark } from '../overlay.ts'
import type { DriftSettings } from './command.ts'

/** Finds out before anything is sent that the patch could not be written, or would replace another file; undefined: neither. */
export async function findPatchProblem({
  patch,
  contract,
  overlay,
}: DriftSettings): Promise<string | undefined> {
  if (patch === undefined) return undefined
  const folder = await stat(dirname(patch)).catch(() => undefined)
  if (!folder?.isDirectory()) return `--patch ${patch}: there is no folder ${dirname(patch)}. Make it first.`
  const inUse = await Promise.all([contract ?? bundledContract, ...splitFiles(overlay)].map(toRealPath))
  if (inUse.includes(await toRealPath(patch)))
    return `--patch: ${patch} is read as the contract or as an overlay. Name another file.`
  if (!(await isReplaceable(patch, isEarlierPatch)))
    return `--patch: ${patch} is no patch of convsim drift, and would be lost. Name another file, or delete it first.`
  return undefined
}

const toRealPath = (file: string) => realpath(file).catch(() => resolve(file))

const isEarlierPatch = (beginning: string) =>
  /^(overlay: |\{\s*"overlay": )/.test(beginning) && beginning.includes(patchMark)
