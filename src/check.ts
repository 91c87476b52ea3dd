import { stat } from 'node:fs/promises'
import type { Contract, Finding, Loaded } from './contract/contract.ts'
import { loadContract } from './contract/load.ts'
import type { Fixtures } from './fixtures.ts'
import { controlContract, shippedContract, shippedFixtures } from './shipped.ts'

/** What `convsim check` found in one file or folder. */
export interface Checked {
  readonly file: string
  readonly findings: readonly Finding[]
  /** What it is, where it is fit to be served: `3 operations`. */
  readonly summary: string
}

/** Loads a folder of fixtures and looks up everything that they name, scenarios too. */
export type LoadFolder = (folder: string) => Promise<Loaded<{ readonly fixtures: Fixtures }>>

/** Checks contract documents and folders of fixtures; without any, the shipped ones. */
export function check(files: readonly string[], loadFolder: LoadFolder): Promise<Checked[]> {
  const all = files.length > 0 ? files : [shippedContract, controlContract, shippedFixtures]
  return Promise.all(all.map((file) => checkOne(file, loadFolder)))
}

async function checkOne(file: string, loadFolder: LoadFolder): Promise<Checked> {
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false, // a file that is not there is the loader's to report
  )
  if (isFolder) {
    const loaded = await loadFolder(file)
    if (!loaded.ok) return { file, findings: loaded.findings, summary: '' }
    const { personas, models } = loaded.value.fixtures
    return { file, findings: [], summary: `${personas.length} personas, ${models.length} models` }
  }
  const loaded = await loadContract(file)
  return loaded.ok
    ? { file, findings: loaded.value.warnings, summary: summaryOf(loaded.value) }
    : { file, findings: loaded.findings, summary: '' }
}

function summaryOf({ operations, assumptions }: Contract): string {
  return `${operations.length} operations, ${assumptions.length} assumptions`
}
