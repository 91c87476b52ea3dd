/** Findings of contracts, overlays, fixtures and rules, before anything is served. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { failure, type Result, success } from '../../base/core/result.ts'
import { errorAt, type Finding, type Findings } from '../../base/documents/finding.ts'
import { isOverlay, readOverlay } from '../../base/documents/read-overlay.ts'
import { readSource } from '../../base/documents/read-source.ts'
import type { Source } from '../../base/documents/source.ts'
import { pluralize } from '../../server/reports/report.ts'
import { splitList } from '../../server/settings/setting.ts'
import { defaultSettings } from '../../server/settings/settings.ts'
import { loadFallback, loadInputs } from '../../server/simulator/loaded-inputs.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { buildContract } from '../../service/contract/load.ts'
import { bundledContract, bundledFixtures, controlContract } from '../../service/fixtures/bundled.ts'
import { isContract, isRulesFile, loadRulesFile } from '../../service/scenarios/rules-file.ts'
import type { CheckSettings } from './settings.ts'

/** The result of `convsim check` for one file or folder. */
export interface CheckResult {
  readonly file: string
  readonly findings: readonly Finding[]
  /** A summary of the content: `3 operations, 48 assumptions`. Empty: the file or folder has an error. */
  readonly summary: string
}

/** A summary of what is fit to be served, with its warnings, or the errors that prevent it. */
type Checked = Result<{ readonly summary: string; readonly findings?: Findings }, Findings>

/** Loads all inputs of a simulator, with the given files in place of those of the settings. */
type InputLoader = (
  changes: Partial<Pick<CheckSettings, 'contract' | 'fixtures' | 'overlay'>>,
) => ReturnType<typeof loadInputs>

/**
 * Checks contract documents, overlays, scenario files and folders of fixtures; by default the contract and fixtures of
 * the settings, or the bundled ones. `--overlay` changes the contract.
 */
export function checkFiles(files: readonly string[], settings: CheckSettings): Promise<CheckResult[]> {
  const { contract, overlay, fixtures } = settings
  const overlays = splitList(overlay)
  const changed = overlays.length > 0 ? (contract ?? bundledContract) : contract
  const named = [changed, fixtures].filter((file) => file !== undefined)
  const known = named.length > 0 ? named : [bundledContract, controlContract, bundledFixtures]
  // Fixtures are loaded together with the contract of the settings, so that names of scenarios are checked, too.
  const load: InputLoader = (changes) => loadInputs({ ...defaultSettings(), ...settings, ...changes })
  return Promise.all(
    (files.length > 0 ? files : known).map(async (file) => {
      const checked = await checkFile(file, overlays, load)
      if (!checked.ok) return { file, findings: checked.error, summary: '' }
      return { file, findings: [], ...checked.value }
    }),
  )
}

async function checkFile(file: string, overlays: readonly string[], load: InputLoader): Promise<Checked> {
  // The loader reports a file that does not exist.
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) return checkFixtures(file, load)
  const source = await readSource(file)
  if (!source.ok) return source
  const { value } = source.value
  if (isOverlay(value)) return checkOverlayFile(file, overlays, load)
  if (isRulesFile(value)) return checkScenarioFile(file, load)
  if (!isContract(value)) return failure([errorAt(source.value.place(''), unknownKind)])
  return resolve(file) === controlContract ? checkControlContract(source.value) : checkContract(file, load)
}

const unknownKind =
  'is neither an OpenAPI document ("openapi: 3.1.0" at its top), nor an overlay ("overlay: 1.1.0"), ' +
  'nor a file of scenario rules ("rules:" at its top); of fixtures, check the folder'

async function checkFixtures(folder: string, load: InputLoader): Promise<Checked> {
  const inputs = await load({ fixtures: folder })
  if (!inputs.ok) return inputs
  const { personas, models, responses } = inputs.value.fixtures
  const exact = responses.length === 0 ? '' : `, ${pluralize(responses.length, 'exact response')}`
  return success({ summary: `${personas.length} personas, ${models.length} models${exact}` })
}

/** Checks a contract document by the steps of a start. */
async function checkContract(file: string, load: InputLoader): Promise<Checked> {
  const inputs = await load({ contract: file })
  return inputs.ok ? checkReplies(inputs.value.contract) : inputs
}

/** Checks the document of the control plane, which has handlers and refusals of its own. */
async function checkControlContract(source: Source): Promise<Checked> {
  const contract = await buildContract(source)
  return contract.ok ? success(summarise(contract.value)) : contract
}

/** Checks that Prism can reply for operations without a handler. A missing Prism is not an error of the document. */
async function checkReplies(contract: Contract): Promise<Checked> {
  const replies = await loadFallback(contract)
  if (replies.ok) return success(summarise(contract))
  const finding = errorAt(contract.file, replies.error.message)
  return replies.error.isPrismMissing
    ? success(summarise(contract, { ...finding, severity: 'warning' }))
    : failure([finding])
}

function summarise({ operations, assumptions, warnings }: Contract, ...more: Finding[]) {
  const summary = `${operations.length} operations, ${assumptions.length} assumptions`
  return { summary, findings: [...warnings, ...more] }
}

/** Checks a scenario file against the contract and the fixtures of the settings. */
async function checkScenarioFile(file: string, load: InputLoader): Promise<Checked> {
  const inputs = await load({})
  if (!inputs.ok) return inputs
  const rules = await loadRulesFile(file, inputs.value)
  return rules.ok ? success({ summary: `${rules.value.length} rules` }) : rules
}

/** Checks an overlay, and the contract of the settings after all overlays of the settings and this one. */
async function checkOverlayFile(file: string, overlays: readonly string[], load: InputLoader): Promise<Checked> {
  const overlay = await readOverlay(file)
  if (!overlay.ok) return overlay
  const inputs = await load({ overlay: [...overlays, file].join(',') })
  if (!inputs.ok) return inputs
  const checked = await checkReplies(inputs.value.contract)
  const summary = `${overlay.value.actions.length} actions, ${inputs.value.contract.operations.length} operations`
  return checked.ok ? success({ ...checked.value, summary }) : checked
}
