import { stat } from 'node:fs/promises'
import { splitFiles } from '../../config/setting.ts'
import { defaultSettings } from '../../config/settings.ts'
import type { Contract } from '../../contract/contract.ts'
import { buildContract, readOverlaid } from '../../contract/load.ts'
import { failure, type Result } from '../../core/result.ts'
import type { Finding, Findings } from '../../documents/finding.ts'
import { isOverlay, readOverlay } from '../../documents/read-overlay.ts'
import { readSource } from '../../documents/read-source.ts'
import type { Source } from '../../documents/source.ts'
import { bundledContract, bundledFixtures, controlContract } from '../../fixtures/bundled.ts'
import type { Fixtures } from '../../fixtures/fixtures.ts'
import { pluralize } from '../../reports/report.ts'
import type { RuleContext } from '../../scenarios/rules.ts'
import { isContract, isRulesFile, loadRulesFile } from '../../scenarios/rules-file.ts'
import { checkOperations } from '../../simulator/check-operations.ts'
import { loadInputs } from '../../simulator/loaded-inputs.ts'
import type { CheckSettings } from './command.ts'

/** The result of `convsim check` for one file or folder. */
export interface CheckResult {
  readonly file: string
  readonly findings: readonly Finding[]
  /** A summary of the content: `3 operations, 48 assumptions`. Empty: the file or folder has an error. */
  readonly summary: string
}

/** Loads all inputs of a simulator, with the given files in place of those of the settings. */
type InputLoader = (
  changes: Partial<Pick<CheckSettings, 'fixtures' | 'overlay'>>,
) => Promise<Result<RuleContext & { readonly fixtures: Fixtures }, Findings>>

/**
 * Checks contract documents, overlays, scenario files and folders of fixtures. Without any it checks what the settings name: the contract,
 * also for `--overlay`, which changes it, and the fixtures; without these the bundled ones.
 */
export function checkFiles(files: readonly string[], settings: CheckSettings): Promise<CheckResult[]> {
  const { contract, overlay, fixtures } = settings
  // A folder of fixtures is loaded together with the contract of the settings, so that names of scenarios are checked, too.
  const loadWith: InputLoader = (changes) => loadInputs({ ...defaultSettings(), ...settings, ...changes })
  const overlays = splitFiles(overlay)
  const changed = overlays.length > 0 ? (contract ?? bundledContract) : contract
  const named = [changed, fixtures].filter((file) => file !== undefined)
  const known = named.length > 0 ? named : [bundledContract, controlContract, bundledFixtures]
  const all = files.length > 0 ? files : known
  return Promise.all(all.map((file) => checkFile(file, overlays, loadWith)))
}

async function checkFile(
  file: string,
  overlays: readonly string[],
  loadWith: InputLoader,
): Promise<CheckResult> {
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false, // the loader reports a file that does not exist
  )
  if (isFolder) {
    return toCheckResult(
      file,
      await loadWith({ fixtures: file }),
      ({ fixtures: { personas, models, answers } }) => [
        `${personas.length} personas, ${models.length} models${answers.length === 0 ? '' : `, ${pluralize(answers.length, 'exact answer')}`}`,
      ],
    )
  }
  const source = await readSource(file)
  if (!source.ok) return { file, findings: source.error, summary: '' }
  const { value } = source.value
  if (isOverlay(value)) return checkOverlayFile(file, overlays, loadWith)
  if (isRulesFile(value)) return checkScenarioFile(file, loadWith)
  if (!isContract(value)) return { file, findings: [unknownKind(source.value.place(''))], summary: '' }
  const document = overlays.length > 0 ? await readOverlaid(file, overlays) : source
  return toCheckResult(
    file,
    document.ok ? await checkContract(document.value, loadWith) : document,
    ({ operations, assumptions, warnings }) => [
      `${operations.length} operations, ${assumptions.length} assumptions`,
      warnings,
    ],
  )
}

const unknownKind = (place: string): Finding => ({
  severity: 'error',
  place,
  message:
    'is neither an OpenAPI document ("openapi: 3.1.0" at its top), nor an overlay ("overlay: 1.1.0"), nor a file of scenario rules ("rules:" at its top); of fixtures, check the folder',
})

/** Checks a contract document as a start does, also against the handlers of the simulator. */
async function checkContract(source: Source, loadWith: InputLoader): Promise<Result<Contract, Findings>> {
  const contract = await buildContract(source)
  const inputs = await loadWith({ overlay: undefined })
  // Without fixtures no answer can be invented; a check of the fixtures says why.
  if (!contract.ok || !inputs.ok) return contract
  const findings = checkOperations(contract.value, inputs.value.fixtures)
  return findings.length > 0 ? failure(findings) : contract
}

/** Checks a scenario file against the contract and the fixtures of the settings. */
async function checkScenarioFile(file: string, loadWith: InputLoader): Promise<CheckResult> {
  const inputs = await loadWith({})
  if (!inputs.ok) return { file, findings: inputs.error, summary: '' }
  return toCheckResult(file, await loadRulesFile(file, inputs.value), (rules) => [`${rules.length} rules`])
}

/** Checks an overlay, and the contract of the settings after all overlays of the settings and this one. */
async function checkOverlayFile(
  file: string,
  overlays: readonly string[],
  loadWith: InputLoader,
): Promise<CheckResult> {
  const overlay = await readOverlay(file)
  if (!overlay.ok) return { file, findings: overlay.error, summary: '' }
  const inputs = await loadWith({ overlay: [...overlays, file].join(',') })
  return toCheckResult(file, inputs, ({ contract: { operations, warnings } }) => [
    `${overlay.value.actions.length} actions, ${operations.length} operations`,
    warnings,
  ])
}

function toCheckResult<T>(
  file: string,
  loaded: Result<T, Findings>,
  describe: (value: T) => [string, (readonly Finding[])?],
): CheckResult {
  if (!loaded.ok) return { file, findings: loaded.error, summary: '' }
  const [summary, findings = []] = describe(loaded.value)
  return { file, findings, summary }
}
