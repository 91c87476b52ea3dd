import { join, normalize, sep } from 'node:path'
import type { Log } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { describeKnown } from '../../base/core/text.ts'
import { errorAt, type Finding, type Findings } from '../../base/documents/source.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { type LoadOptions, loadContract } from '../../service/contract/load.ts'
import { bundledContract, bundledFixtures, controlContract, listFixtureFiles } from '../../service/fixtures/bundled.ts'
import { type Fixtures, loadFixtures } from '../../service/fixtures/fixtures.ts'
import { handledOperations } from '../../service/operations/index.ts'
import { createFallback, type Fallback } from '../../service/responses/fallback.ts'
import { createCatalogue } from '../../service/scenarios/catalogue.ts'
import type { Catalogue } from '../../service/scenarios/definition.ts'
import { parseScenarios } from '../../service/scenarios/parse.ts'
import { hasModelParameter } from '../../service/scenarios/rule-match-problems.ts'
import { activateRules, listInapplicable, type RuleContext, readRules } from '../../service/scenarios/rules.ts'
import { loadRulesFile } from '../../service/scenarios/rules-file.ts'
import type { ServedInputs } from '../control/handler.ts'
import { listOverlays } from '../settings/library-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { findHandled, handledIds } from './check-operations.ts'

/** The documents, fixtures and startup rules that a simulator uses, checked against each other. */
export interface LoadedInputs
  extends Pick<ServedInputs, 'contract' | 'handled' | 'fixtures' | 'catalogue' | 'startupRules'> {
  readonly control: Contract
  /** Creates replies for operations without a handler; undefined in a proxy, or if every operation has a handler. */
  readonly fallback?: Fallback | undefined
}

/** Loads the inputs that the settings name. */
export async function loadInputs(
  settings: Settings,
  limitCatalogue?: (all: Catalogue) => Catalogue,
  options: Pick<LoadOptions, 'thorough' | 'referencedFiles'> = {},
): Promise<Result<LoadedInputs, Findings>> {
  const overlays = listOverlays(settings.overlay)
  const loaded = await Promise.all([
    loadContract(settings.contract ?? bundledContract, { ...options, overlays }),
    loadContract(controlContract, { responses: false }),
    loadFixtures(settings.fixtures ?? bundledFixtures),
  ])
  const [contract, control, fixtures] = loaded
  if (!contract.ok || !control.ok || !fixtures.ok) {
    const findings = loaded.flatMap((result) => (result.ok ? [] : result.error))
    return failure(addFlags(findings, settings))
  }
  // Tests check that the handlers match the bundled contract, so startup does not check this again.
  const isCustom = settings.contract !== undefined || overlays.length > 0
  const { handled, warnings } = isCustom
    ? findHandled(contract.value, fixtures.value)
    : { handled: handledIds, warnings: [] }
  const generatedIds = generatedOperations.filter((id) => handled.has(id))
  const all = createCatalogue(contract.value, fixtures.value.personas, generatedIds)
  const catalogue = limitCatalogue?.(all) ?? all
  const startupRules = await loadStartupRules(settings, { catalogue, contract: contract.value })
  const findings: Finding[] = [
    ...checkMagicValues(fixtures.value, catalogue, settings.fixtures === undefined ? [] : contract.value.operations),
    ...checkPersonaNames(fixtures.value, all),
    ...checkResponses(fixtures.value, contract.value),
    ...checkPlan(settings, fixtures.value),
    ...(startupRules.ok ? [] : startupRules.error),
  ]
  if (!startupRules.ok || findings.length > 0) return failure(addFlags(findings, settings))
  const base = contract.value
  const served = warnings.length === 0 ? base : { ...base, warnings: [...base.warnings, ...warnings] }
  const documents = { contract: served, control: control.value, fixtures: fixtures.value }
  return success({ ...documents, handled, catalogue, startupRules: startupRules.value })
}

export async function loadStartupInputs(
  settings: Settings,
  log: Log,
  limitCatalogue?: (all: Catalogue) => Catalogue,
  referencedFiles?: Set<string>,
): Promise<Result<LoadedInputs, Findings>> {
  const inputs = await loadInputs(settings, limitCatalogue, { referencedFiles })
  if (!inputs.ok || limitCatalogue) return inputs
  const { contract, handled } = inputs.value
  const operations = contract.operations.map(({ id }) => id).filter((id) => !handled.has(id))
  if (operations.length === 0) return inputs
  log.info({ operations }, 'some operations are served from the examples and schemas of the contract')
  return success({ ...inputs.value, fallback: createFallback(contract) })
}

/** Returns the input files that the settings or their defaults name, including each file in the fixtures folder. */
export function listInputFiles({ contract, overlay, fixtures, rules }: Settings): string[] {
  return [
    contract ?? bundledContract,
    ...listOverlays(overlay),
    ...listFixtureFiles(fixtures).filter((file) => !file.endsWith('/')),
    ...(rules === undefined ? [] : [rules]),
  ]
}

const generatedOperations = handledOperations.flatMap(({ operationId, generate }) => (generate ? [operationId] : []))

async function loadStartupRules(settings: Settings, context: RuleContext) {
  const { scenario, rules } = settings
  const fromFlag = readRules(scenario === undefined ? [] : [{ scenario }], context)
  const fromFile = rules === undefined ? success([]) : await loadRulesFile(rules, context)
  if (fromFlag.ok && fromFile.ok) return success(activateRules('startup', [...fromFlag.value, ...fromFile.value]))
  const findings = fromFlag.ok ? [] : fromFlag.error.map(({ message }) => errorAt('--scenario', message))
  return failure([...findings, ...(fromFile.ok ? [] : fromFile.error)])
}

function addFlags(findings: Findings, { contract, overlay, fixtures, rules }: Settings): Finding[] {
  const flags = [
    [contract, '--contract'],
    ...listOverlays(overlay).map((file) => [file, '--overlay'] as const),
    [fixtures, '--fixtures'],
    [rules, '--rules'],
  ] as const
  return findings.map((finding) => {
    const flag = flags.find(([file]) => file !== undefined && isPlaceIn(file, finding.place))?.[1]
    return flag === undefined ? finding : { ...finding, flag }
  })
}

function isPlaceIn(file: string, place: string): boolean {
  return [file, normalize(file)].some(
    (path) => place === path || place.startsWith(`${path}:`) || place.startsWith(join(path, sep)),
  )
}

const errorInFixtures = (place: string, message: string): Finding => ({
  ...errorAt(`fixtures: ${place}`, message),
  flag: '--fixtures',
})

/** Returns findings for magic values whose scenarios are invalid or do not apply to any operation. */
function checkMagicValues({ keys, models }: Fixtures, catalogue: Catalogue, operations: Contract['operations']) {
  const modelOperations = operations.filter(hasModelParameter)
  const magicValues = [
    ...keys.map(({ token, scenario }) => [`key ${token}`, scenario, operations] as const),
    ...models.map(({ id, scenario }) => [`model ${id}`, scenario, modelOperations] as const),
  ]
  return magicValues.flatMap(([place, scenario, affected]) => {
    const parsed = parseScenarios(scenario ?? '', catalogue)
    const problems = parsed.ok
      ? listInapplicable({ scenarios: parsed.value, sequence: undefined }, affected)
      : [parsed.error]
    return problems.map((problem) => errorInFixtures(place, problem))
  })
}

/** Returns a finding for each persona that has the name of a built-in scenario, since one would hide the other. */
function checkPersonaNames({ personas }: Fixtures, { definitions, statuses }: Catalogue): Finding[] {
  const names = [...definitions, ...statuses].map(({ name }) => name)
  const conflicting = personas.filter(({ name }) => names.indexOf(name) !== names.lastIndexOf(name))
  const message = 'has the name of a built-in scenario; give the persona another name'
  return conflicting.map(({ name }) => errorInFixtures(`persona ${name}`, message))
}

function checkResponses({ responses }: Fixtures, { operations }: Contract): Finding[] {
  return responses.flatMap(({ operation: id, modelId, period, body, locate }) => {
    const operation = operations.find((candidate) => candidate.id === id)
    if (!operation) return []
    const { violations } = operation.readParameters({ path: { modelId }, query: { period }, header: {} })
    const periodViolations = violations.filter(({ in: part, pointer }) => part === 'query' && pointer === '/period')
    const bodyViolations = operation.checkResponse(operation.successStatus, body)
    return [
      ...periodViolations.map(({ message }) =>
        errorAt(locate('/period'), `no request can get this exact response: the period ${message}`),
      ),
      ...bodyViolations.map(({ pointer, message }) => {
        const problem = `the exact response breaks the contract: ${pointer || 'the body'} ${message}`
        return errorAt(locate(`/body${pointer}`), problem)
      }),
    ]
  })
}

function checkPlan({ plan }: Settings, { plans }: Fixtures): Finding[] {
  const known = plans.map(({ name }) => name)
  return known.includes(plan) ? [] : [errorAt('--plan', `Unknown plan "${plan}". ${describeKnown(plan, known)}`)]
}
