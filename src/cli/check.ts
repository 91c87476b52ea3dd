import { stat } from 'node:fs/promises'
import { buildContract } from '../contract/load.ts'
import type { Result } from '../core/result.ts'
import type { Finding, Findings } from '../documents/finding.ts'
import { readSource } from '../documents/read-source.ts'
import { bundledContract, bundledFixtures, controlContract } from '../fixtures/bundled.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { RuleContext } from '../scenarios/rules.ts'
import { isScenarioFile, loadScenarioFile } from '../scenarios/rules-file.ts'

/** What `convsim check` found in one file or folder. */
export interface Checked {
  readonly file: string
  readonly findings: readonly Finding[]
  /** What it is, where it is fit to be served: `3 operations`. */
  readonly summary: string
}

/** Loads everything, with a folder of fixtures of somebody's own (undefined: the one that the settings name), names looked up. */
export type LoadWith = (
  fixtures: string | undefined,
) => Promise<Result<RuleContext & { readonly fixtures: Fixtures }, Findings>>

/** Checks contract documents, scenario files and folders of fixtures; without any, the shipped ones. */
export function check(files: readonly string[], loadWith: LoadWith): Promise<Checked[]> {
  const all = files.length > 0 ? files : [bundledContract, controlContract, bundledFixtures]
  return Promise.all(all.map((file) => checkOne(file, loadWith)))
}

async function checkOne(file: string, loadWith: LoadWith): Promise<Checked> {
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false, // a file that is not there is the loader's to report
  )
  if (isFolder) {
    return checked(file, await loadWith(file), ({ fixtures: { personas, models } }) => [
      `${personas.length} personas, ${models.length} models`,
    ])
  }
  const source = await readSource(file)
  if (!source.ok) return { file, findings: source.error, summary: '' }
  if (isScenarioFile(source.value.value)) return checkScenarioFile(file, loadWith)
  return checked(file, await buildContract(source.value), ({ operations, assumptions, warnings }) => [
    `${operations.length} operations, ${assumptions.length} assumptions`,
    warnings,
  ])
}

/** Scenario files are about the contract and the fixtures that the settings name. */
async function checkScenarioFile(file: string, loadWith: LoadWith): Promise<Checked> {
  const sources = await loadWith(undefined)
  if (!sources.ok) return { file, findings: sources.error, summary: '' }
  return checked(file, await loadScenarioFile(file, sources.value), (rules) => [`${rules.length} rules`])
}

function checked<T>(
  file: string,
  loaded: Result<T, Findings>,
  describe: (value: T) => [string, (readonly Finding[])?],
): Checked {
  if (!loaded.ok) return { file, findings: loaded.error, summary: '' }
  const [summary, findings = []] = describe(loaded.value)
  return { file, findings, summary }
}
