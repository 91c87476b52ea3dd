import type { Json } from '../../base/core/json.ts'
import type { Finding } from '../../base/documents/source.ts'
import type { Contract, Operation } from '../../service/contract/contract.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { defaultDays, getModelAnalytics, parseDays } from '../../service/operations/analytics.ts'
import { handledOperations } from '../../service/operations/index.ts'
import { createSimulation } from '../../service/simulation/simulation.ts'

/**
 * Returns the IDs of the operations that match the handler for their ID, and a warning for each operation that does not
 * match its handler. Such an operation may belong to a different API, so it is served from its examples and schemas.
 */
export function findHandled(contract: Contract, fixtures: Fixtures) {
  const findProblems = createOperationCheck(fixtures)
  const handled = new Set<string>()
  const warnings: Finding[] = []
  for (const operation of contract.operations.filter(({ id }) => handledIds.has(id))) {
    const [problem] = findProblems(operation)
    if (problem === undefined) handled.add(operation.id)
    else {
      const message = `${operation.id} is served from its examples and schemas, not simulated: ${problem}`
      warnings.push({ severity: 'warning', place: contract.locate(operation.pointer), message })
    }
  }
  return { handled, warnings }
}

export const handledIds: ReadonlySet<string> = new Set(handledOperations.map(({ operationId }) => operationId))

/** Warns if a document has analytics periods that are not in days. */
export function findUnsupportedPeriods({ file, operations }: Contract): Finding[] {
  const analytics = operations.find(({ id }) => id === getModelAnalytics.operationId)
  const { schema } = analytics?.parameters.find(({ in: part, name }) => part === 'query' && name === 'period') ?? {}
  const others = Array.isArray(schema?.enum) ? schema.enum.filter((period) => parseDays(period) === undefined) : []
  const message = `periods must be in days, such as 14d; ${defaultDays} days are used instead of ${others.join(' or ')}`
  return others.length === 0 ? [] : [{ severity: 'warning', place: file, message }]
}

const takesMultipart = ({ body }: Operation) => body?.mediaTypes.some((type) => type.startsWith('multipart/')) ?? false

/** Creates a function that lists how an operation differs from what its handler expects. */
function createOperationCheck(fixtures: Fixtures): (operation: Operation) => string[] {
  const simulate = createSimulation(fixtures)
  return function findProblems(operation) {
    const declaration = handledOperations.find(({ operationId }) => operationId === operation.id)
    if (!declaration) return []
    const { modelParameter, readsBody, samples } = declaration
    const pathParameters = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    const lacksModel = modelParameter !== undefined && !pathParameters.includes(modelParameter)
    const needsJson = readsBody && !(operation.body?.required && operation.bodySchema())
    // For a dropped event, an example in the document takes precedence over the handler's response.
    const droppedStatuses = [operation.droppedStatus].filter((status) => operation.examples(status).length === 0)
    const successes = new Set([operation.successStatus, ...droppedStatuses])
    const errorStatuses = operation.statuses.filter((status) => status >= 400)
    return [
      ...(lacksModel
        ? [`the simulator reads the path parameter "${modelParameter}", which ${operation.path} lacks`]
        : []),
      ...(needsJson ? ['the simulator reads a JSON body, but the document does not require one'] : []),
      ...(readsBody && takesMultipart(operation) ? ['the simulator does not read multipart bodies'] : []),
      ...[...successes].flatMap((status) => describeMismatch(operation, status, samples(simulate))),
      ...errorStatuses.flatMap((status) => describeMismatch(operation, status, errorSamples)),
    ]
  }
}

const errorSamples: readonly Json[] = [{ success: false, error: 'The request was refused.' }]

/** Describes how the first invalid body violates the schema of a status. Returns an empty list if all are valid. */
function describeMismatch(operation: Operation, status: number, bodies: readonly Json[]): string[] {
  if (!operation.hasResponseBody(status)) return []
  const [violation] = bodies.flatMap((body) => operation.checkResponse(status, body))
  const at = violation?.pointer || 'the body'
  return violation ? [`the response does not match the schema of status ${status}: ${at} ${violation.message}`] : []
}
