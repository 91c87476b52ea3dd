/** `features/check/`: finds problems in contracts, overlays, fixtures and rules before anything is served. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { failure, type Result, success } from '../../base/core/result.ts'
import { isOverlay, readOverlay } from '../../base/documents/read-overlay.ts'
import { readSource } from '../../base/documents/read-source.ts'
import { errorAt, errorsFirst, type Finding, type Findings } from '../../base/documents/source.ts'
import { type PrintedFormat, renderPrinted } from '../../server/reports/formats/index.ts'
import type { Page, PageFinding, PageSection } from '../../server/reports/page/page.ts'
import { pluralize } from '../../server/reports/report.ts'
import { listOverlays } from '../../server/settings/library-settings.ts'
import { defaultSettings, type Settings } from '../../server/settings/settings.ts'
import { findUnsupportedPeriods } from '../../server/simulator/check-operations.ts'
import { type LoadedInputs, loadInputs } from '../../server/simulator/loaded-inputs.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { buildContract } from '../../service/contract/load.ts'
import { isJson } from '../../service/contract/media-types.ts'
import { bundledContract, bundledFixtures, controlContract } from '../../service/fixtures/bundled.ts'
import { createFallback } from '../../service/responses/fallback.ts'
import { isContract, isRulesFile, loadRulesFile } from '../../service/scenarios/rules-file.ts'

interface CheckResult {
  readonly file: string
  /** False if there is an error or, in a strict check, a warning. */
  readonly ok: boolean
  readonly findings: Findings
  /** A summary of the content (`3 operations, 48 assumptions`); empty for a file or folder with an error. */
  readonly summary: string
}

/** A summary of what can be served and the findings about it, or the errors that prevent serving. */
type Checked = Result<{ readonly summary: string; readonly findings?: Findings }, Findings>

type InputLoader = (
  changes: Partial<Pick<Settings, 'contract' | 'fixtures' | 'overlay'>>,
) => ReturnType<typeof loadInputs>

export function checkFiles(
  files: readonly string[],
  options: Pick<Settings, 'contract' | 'overlay' | 'fixtures' | 'scenario' | 'rules' | 'plan'> & { strict: boolean },
): Promise<CheckResult[]> {
  const { strict, ...settings } = options
  const { contract, overlay, fixtures } = settings
  const overlays = listOverlays(overlay)
  const contractFile = overlays.length > 0 ? (contract ?? bundledContract) : contract
  const configured = [contractFile, fixtures].filter((file) => file !== undefined)
  const defaults = configured.length > 0 ? configured : [bundledContract, controlContract, bundledFixtures]
  // Fixtures are loaded with the configured contract, so that the scenarios that they name are also checked.
  const load: InputLoader = (changes) =>
    loadInputs({ ...defaultSettings(), ...settings, ...changes }, undefined, { thorough: true })
  return Promise.all(
    (files.length > 0 ? files : defaults).map(async (file) => {
      const checked = await checkFile(file, overlays, load)
      if (!checked.ok) return { file, ok: false, findings: errorsFirst(checked.error), summary: '' }
      const { summary, findings = [] } = checked.value
      const ok = !strict || findings.every(({ severity }) => severity === 'info')
      return { file, ok, findings, summary }
    }),
  )
}

async function checkFile(file: string, overlays: readonly string[], load: InputLoader): Promise<Checked> {
  // `readSource` reports a file that does not exist.
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) return checkFixtures(file, load)
  const source = await readSource(file)
  if (!source.ok) return source
  const { value } = source.value
  if (isOverlay(value)) return checkOverlayFile(file, overlays, load)
  if (isRulesFile(value)) return checkRulesFile(file, load)
  if (!isContract(value)) return failure([errorAt(source.value.locate(''), unknownKind)])
  if (resolve(file) === controlContract) {
    const control = await buildContract(source.value, { thorough: true }) // control responses are not generated
    return control.ok ? success(summarize(control.value)) : control
  }
  const inputs = await load({ contract: file })
  return inputs.ok ? checkContract(inputs.value) : inputs
}

const unknownKind =
  'is neither an OpenAPI document ("openapi: 3.1.0" at the top), an overlay ("overlay: 1.1.0") ' +
  'nor a file of scenario rules ("rules:" at the top); to check fixtures, specify their folder'

async function checkFixtures(folder: string, load: InputLoader): Promise<Checked> {
  const inputs = await load({ fixtures: folder })
  if (!inputs.ok) return inputs
  const { personas, models, responses } = inputs.value.fixtures
  const exact = responses.length === 0 ? '' : `, ${pluralize(responses.length, 'exact response')}`
  return success({ summary: `${pluralize(personas.length, 'persona')}, ${pluralize(models.length, 'model')}${exact}` })
}

/** The maximum number of operations to generate responses for. A check of a huge contract must not take minutes. */
const maxChecked = 200

/** Warns about unsupported periods, and about invalid bodies generated for operations without a handler. */
async function checkContract({ contract, handled }: LoadedInputs): Promise<Checked> {
  const fallback = createFallback(contract)
  const operations = contract.operations.filter(({ id }) => !handled.has(id))
  const findings: Finding[] = findUnsupportedPeriods(contract)
  for (const operation of operations.slice(0, maxChecked)) {
    const { status, body } = await fallback({ operation })
    const violations = body && isJson(body.mediaType) ? operation.checkResponse(status, body.value) : []
    const [first] = violations
    if (first === undefined || operation.examples(status).length > 0) continue // loading checks the examples
    const message =
      `no valid body could be generated for status ${status} of ${operation.id}: ${first.pointer || 'the body'} ` +
      `${first.message}. The simulator returns an invalid body; to replace it, add an example`
    findings.push({ severity: 'warning', place: contract.locate(operation.responsePointer(status) ?? ''), message })
  }
  const message = `generated responses were checked for only the first ${maxChecked} of ${operations.length} operations`
  if (operations.length > maxChecked) findings.push({ severity: 'info', place: contract.file, message })
  return success(summarize(contract, ...findings))
}

function summarize({ operations, assumptions, warnings }: Contract, ...more: Finding[]) {
  const summary = `${pluralize(operations.length, 'operation')}, ${pluralize(assumptions.length, 'assumption')}`
  return { summary, findings: errorsFirst([...warnings, ...more]) }
}

async function checkRulesFile(file: string, load: InputLoader): Promise<Checked> {
  const inputs = await load({})
  if (!inputs.ok) return inputs
  const rules = await loadRulesFile(file, inputs.value)
  return rules.ok ? success({ summary: pluralize(rules.value.length, 'rule') }) : rules
}

async function checkOverlayFile(file: string, overlays: readonly string[], load: InputLoader): Promise<Checked> {
  const overlay = await readOverlay(file)
  if (!overlay.ok) return overlay
  const inputs = await load({ overlay: [...overlays, file].join(',') })
  if (!inputs.ok) return inputs
  const checked = await checkContract(inputs.value)
  const { operations } = inputs.value.contract
  const summary = `${pluralize(overlay.value.actions.length, 'action')}, ${pluralize(operations.length, 'operation')}`
  return checked.ok ? success({ ...checked.value, summary }) : checked
}

export function formatChecks(results: readonly CheckResult[], format: PrintedFormat): string {
  const files = results.map(resultToJson)
  return renderPrinted(format, results.map(toCheckPage), { ok: files.every(({ ok }) => ok), files })
}

function resultToJson({ file, ok, findings, summary }: CheckResult) {
  const located = findings.map(({ severity, place, message }) => {
    const { file, ...position } = parsePlace(place) ?? { file: place }
    return { severity, place: file, ...position, message }
  })
  return { file, ok, summary, findings: located }
}

function toCheckPage({ file, ok, findings, summary }: CheckResult): Page {
  const result = summary && (ok ? `ok, ${summary}` : `not ok with --strict, ${summary}`)
  const listed = findings.map(({ severity, place, message }) => ({
    severity,
    title: place,
    place: parsePlace(place),
    sentence: message,
  }))
  const section: PageSection = { key: 'findings', title: 'Findings', blocks: [{ kind: 'findings', findings: listed }] }
  return {
    subject: { title: file, version: '' },
    heading: 'checked',
    verdict: { text: `${file}: ${result || 'cannot be served'}`, isGood: ok },
    sections: listed.length === 0 ? [] : [section],
  }
}

/** Splits `spec/openapi.yaml:12:5` into its parts. Returns undefined for a place without a line (`--scenario`). */
function parsePlace(place: string): PageFinding['place'] {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(place) ?? []
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) }
}
