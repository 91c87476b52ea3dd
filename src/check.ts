import { stat } from 'node:fs/promises'
import type { Contract, Finding } from './contract/contract.ts'
import { loadContract } from './contract/load.ts'
import { defaultSettings } from './settings.ts'
import { controlContract, shippedContract, shippedFixtures } from './shipped.ts'
import { loadSources } from './sources.ts'

/** What `convsim check` found in one file or folder. */
export interface Checked {
  readonly file: string
  readonly findings: readonly Finding[]
  /** What it is, where it is fit to be served: `3 operations`. */
  readonly summary: string
}

/** Checks contract documents and folders of fixtures; without any, the shipped ones. */
export function check(files: readonly string[]): Promise<Checked[]> {
  const all = files.length > 0 ? files : [shippedContract, controlContract, shippedFixtures]
  return Promise.all(all.map(checkOne))
}

async function checkOne(file: string): Promise<Checked> {
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false, // a file that is not there is the loader's to report
  )
  if (isFolder) {
    // With everything else as shipped, so that a scenario that a fixture names is looked up too.
    const loaded = await loadSources({ ...defaultSettings(), fixtures: file })
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
