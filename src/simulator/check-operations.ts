import type { Contract, Operation } from '../contract/contract.ts'
import { groupBy } from '../core/group-by.ts'
import type { Json } from '../core/json.ts'
import { errorAt, type Finding } from '../documents/finding.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { analyticsDeclaration, defaultDays, readDays } from '../operations/analytics.ts'
import type { OperationDeclaration } from '../operations/handler.ts'
import { declarations, type OperationHandlers } from '../operations/index.ts'
import type { World } from '../simulation/analytics.ts'
import { createWorld } from '../simulation/world.ts'

/** Checks that a document's operations have the parameters, body and answers that their handlers expect. */
export function checkOperations(contract: Contract, fixtures: Fixtures): Finding[] {
  const world = createWorld(fixtures)
  return contract.operations.flatMap((operation) => {
    const declaration = declarations.find(({ operationId }) => operationId === operation.id)
    const problems = declaration ? findOperationProblems(operation, declaration, world) : []
    const remedy = 'Change the document, or rename the operationId to have the operation answered from its examples'
    return problems.map((problem) => errorAt(contract.file, `${operation.id}: ${problem}. ${remedy}`))
  })
}

/** Returns the handlers whose operations have the parameters, body and answers in the document that they expect. */
export function withFittingDocument(
  handlers: OperationHandlers,
  contract: Contract,
  fixtures: Fixtures,
): OperationHandlers {
  const world = createWorld(fixtures)
  const fits = (declaration: OperationDeclaration) =>
    contract.operations.some(
      (operation) =>
        operation.id === declaration.operationId && findOperationProblems(operation, declaration, world).length === 0,
    )
  return new Map([...handlers].filter(([, handler]) => fits(handler)))
}

/** The refusals of the pipeline, which an operation need not document. */
const ownRefusals = [400, 401, 413, 415]

/** Warns of the refusals whose body the schemas of a document reject, `default` and `4XX` included. */
export function checkRefusals(contract: Contract): Finding[] {
  const misfits = contract.operations.flatMap((operation) => {
    const statuses = new Set([...ownRefusals, ...operation.statuses.filter((status) => status >= 400)])
    const wrong = [...statuses].filter((status) => describeMisfitRefusal(operation, status).length > 0)
    const lacking = wrong.filter((status) => operation.examples(status).length === 0)
    const [all = '', withoutExample = ''] = [wrong, lacking].map((list) => list.sort((a, b) => a - b).join(', '))
    return all === '' ? [] : [{ id: operation.id, all, withoutExample }]
  })
  const groups = groupBy(misfits, ({ all, withoutExample }) => `${all}; ${withoutExample}`)
  return Array.from(groups.values(), ([first, ...others]): Finding | [] => {
    if (first === undefined) return []
    const { id, all, withoutExample } = first
    const named = others.length === 0 ? id : `${id} and ${others.length} more`
    const shape = '{"success": false, "error": "..."}'
    const problem = `${named}: the contract describes other refusals than ${shape} for ${all}`
    const remedy =
      withoutExample === ''
        ? 'Their examples are sent instead'
        : `Add an example for ${withoutExample}, which is sent instead; until then ${shape} is sent`
    const severity = withoutExample === '' ? 'info' : 'warning'
    return { severity, place: contract.file, message: `${problem}. ${remedy}` }
  }).flat()
}

/** Warns of the periods of analytics in a document that are no number of days. */
export function checkPeriods({ file, operations }: Contract): Finding[] {
  const analytics = operations.find(({ id }) => id === analyticsDeclaration.operationId)
  const { schema } = analytics?.parameters.find(({ in: part, name }) => part === 'query' && name === 'period') ?? {}
  const others = Array.isArray(schema?.enum) ? schema.enum.filter((period) => readDays(period) === undefined) : []
  const message = `the periods ${others.join(', ')} are no number of days, such as 14d: they get ${defaultDays} days`
  return others.length === 0 ? [] : [{ severity: 'warning', place: file, message }]
}

const takesParts = ({ body }: Operation) => body?.mediaTypes.some((type) => type.startsWith('multipart/')) ?? false

function findOperationProblems(operation: Operation, declaration: OperationDeclaration, world: World): string[] {
  const { pathParameters, readsBody } = declaration
  const documented = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const missing = pathParameters.filter((name) => !documented.includes(name))
  const needsJson = readsBody && !(operation.body?.required && operation.bodySchema())
  return [
    ...missing.map((name) => `the simulator reads the path parameter "${name}", which ${operation.path} lacks`),
    ...(needsJson ? ['the simulator reads a JSON body, which the document must require'] : []),
    ...(readsBody && takesParts(operation) ? ['the simulator reads no body of several parts (multipart)'] : []),
    ...describeMisfitAnswers(operation, declaration.samples(world)),
    ...describeMisfitRefusals(operation),
  ]
}

/** Describes the success statuses whose schema the handler's answers violate. A status without a body has no schema. */
function describeMisfitAnswers(operation: Operation, samples: readonly Json[]): string[] {
  const statuses = new Set([operation.successStatus, operation.droppedStatus])
  return [...statuses].flatMap((status) => {
    if (!operation.hasResponseBody(status)) return []
    // The answer to a dropped event is the example of the document, if it has one, and not that of the handler.
    if (status !== operation.successStatus && operation.examples(status).length > 0) return []
    return describeFirstViolation(operation, status, samples)
  })
}

/** Describes the documented refusals whose schema the service's error body violates. */
function describeMisfitRefusals(operation: Operation): string[] {
  return operation.statuses
    .filter((status) => status >= 400)
    .flatMap((status) => describeMisfitRefusal(operation, status))
}

function describeMisfitRefusal(operation: Operation, status: number): string[] {
  if (!operation.hasResponseBody(status)) return []
  return describeFirstViolation(operation, status, [{ success: false, error: 'The request was refused.' }])
}

function describeFirstViolation(operation: Operation, status: number, samples: readonly Json[]): string[] {
  for (const sample of samples) {
    const [violation] = operation.checkResponse(status, sample)
    const at = violation?.pointer || 'the body'
    if (violation) return [`the simulator's answer does not fit the status ${status}: ${at} ${violation.message}`]
  }
  return []
}
