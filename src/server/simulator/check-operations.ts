import type { Json } from '../../base/core/json.ts'
import type { Finding } from '../../base/documents/source.ts'
import type { Contract, Operation } from '../../service/contract/contract.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { defaultDays, getModelAnalytics, readDays } from '../../service/operations/analytics.ts'
import { handledOperations } from '../../service/operations/index.ts'
import { createSimulation } from '../../service/simulation/simulation.ts'

/**
 * Returns the ids of the operations whose parameters, body and responses match those that their handlers expect. An
 * operation of another API may have the same operationId: it is served from the document, with a warning.
 */
export function findHandled(contract: Contract, fixtures: Fixtures) {
  const findProblems = createOperationCheck(fixtures)
  const handled = new Set<string>()
  const warnings: Finding[] = []
  for (const operation of contract.operations.filter(({ id }) => handledIds.has(id))) {
    const [problem] = findProblems(operation)
    if (problem === undefined) handled.add(operation.id)
    else {
      const message = `${operation.id} is served from its examples and schemas, and not simulated: ${problem}`
      warnings.push({ severity: 'warning', place: contract.place(operation.pointer), message })
    }
  }
  return { handled, warnings }
}

export const handledIds: ReadonlySet<string> = new Set(handledOperations.map(({ operationId }) => operationId))

/** Warns about analytics periods in a document that are not numbers of days. */
export function findLimits({ file, operations }: Contract): Finding[] {
  const analytics = operations.find(({ id }) => id === getModelAnalytics.operationId)
  const { schema } = analytics?.parameters.find(({ in: part, name }) => part === 'query' && name === 'period') ?? {}
  const others = Array.isArray(schema?.enum) ? schema.enum.filter((period) => readDays(period) === undefined) : []
  const message = `the periods ${others.join(', ')} are not numbers of days, such as 14d; ${defaultDays} days are used`
  return others.length === 0 ? [] : [{ severity: 'warning', place: file, message }]
}

const takesMultipart = ({ body }: Operation) => body?.mediaTypes.some((type) => type.startsWith('multipart/')) ?? false

/** Creates a function that describes how an operation differs from what its handler expects. */
function createOperationCheck(fixtures: Fixtures): (operation: Operation) => string[] {
  const simulate = createSimulation(fixtures)
  return function findProblems(operation) {
    const declaration = handledOperations.find(({ operationId }) => operationId === operation.id)
    if (!declaration) return []
    const { modelParameter, readsBody, samples } = declaration
    const documented = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    const lacksModel = modelParameter !== undefined && !documented.includes(modelParameter)
    const needsJson = readsBody && !(operation.body?.required && operation.bodySchema())
    // For a dropped event, the document's example is sent, if any, instead of the handler's response.
    const dropped = [operation.droppedStatus].filter((status) => operation.examples(status).length === 0)
    const successes = new Set([operation.successStatus, ...dropped])
    const refusals = operation.statuses.filter((status) => status >= 400)
    return [
      ...(lacksModel
        ? [`the simulator reads the path parameter "${modelParameter}", which ${operation.path} lacks`]
        : []),
      ...(needsJson ? ['the simulator reads a JSON body, which the document must require'] : []),
      ...(readsBody && takesMultipart(operation) ? ['the simulator does not read multipart bodies'] : []),
      ...[...successes].flatMap((status) => describeMisfit(operation, status, samples(simulate))),
      ...refusals.flatMap((status) => describeMisfit(operation, status, refusal)),
    ]
  }
}

/** A sample body of a refusal, for `describeMisfit`. */
const refusal: readonly Json[] = [{ success: false, error: 'The request was refused.' }]

/** Describes the first body that breaks the schema of a status. Empty if all bodies are valid or none is documented. */
function describeMisfit(operation: Operation, status: number, bodies: readonly Json[]): string[] {
  if (!operation.hasResponseBody(status)) return []
  const [violation] = bodies.flatMap((body) => operation.checkResponse(status, body))
  const at = violation?.pointer || 'the body'
  return violation ? [`the simulator's response breaks the schema of status ${status}: ${at} ${violation.message}`] : []
}
