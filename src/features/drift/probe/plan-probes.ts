import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Contract, DescribedParameter, Operation } from '../../../service/contract/contract.ts'
import { readExamples } from '../../../service/contract/resolve.ts'

export interface Probe {
  readonly operation: Operation
  /** Path and query, relative to the base path: `/models/ID/analytics?period=7d`. */
  readonly target: string
  readonly body: string | undefined
  /** False for a write that might take effect twice if it were sent twice. */
  readonly isRepeatable: boolean
}

export interface ProbePlan {
  readonly probes: readonly Probe[]
  readonly unplanned: readonly { readonly operation: string; readonly sentence: string }[]
}

interface ProbeOptions {
  readonly ids: ReadonlyMap<string, readonly string[]>
  readonly canWrite: boolean
  /** The minimum number of probes per operation. Probes are repeated to reach that number. */
  readonly samples: number
  /** The part of idempotency keys that is unique to a run: `20260115T120000Z`. */
  readonly runId: string
}

/** Plans probes with all known values of path and query parameters. Operations without probes are in `unplanned`. */
export function planProbes(contract: Contract, options: ProbeOptions): ProbePlan {
  const probes: Probe[] = []
  const unplanned: { operation: string; sentence: string }[] = []
  for (const operation of contract.operations) {
    const planned = planOperation(contract, operation, options)
    if (planned.ok) probes.push(...planned.value)
    else unplanned.push({ operation: operation.id, sentence: planned.error })
  }
  return { probes, unplanned }
}

/** The methods that only read (RFC 9110, section 9.2.1). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/** Returns the probes for an operation, or a sentence that says why there are none. */
function planOperation({ document }: Contract, operation: Operation, options: ProbeOptions): Result<readonly Probe[]> {
  const { method, parameters } = operation
  const isRead = safeMethods.includes(method)
  if (!isRead && !options.canWrite)
    return failure(`A ${method} writes data. To send it, use --writes=HOST with the host of the service.`)
  if (parameters.some((one) => one.required && one.in === 'header'))
    return failure('The operation requires a header that probes do not send.')
  const known = parameters.map((parameter): KnownParameter => {
    const values = options.ids.get(parameter.name) ?? listValues(document, parameter)
    return { ...parameter, values }
  })
  const missing = known.find(({ required, values }) => required && values.length === 0)?.name
  if (missing !== undefined)
    return failure(`No value is known for the parameter "${missing}". Pass one: --ids ${missing}=VALUE.`)
  const example = isRead ? undefined : operation.bodyExamples()[0]?.value
  const body = isObject(example) ? example : undefined
  if (body === undefined && operation.body?.required)
    return failure('The first example of the request body is missing or not a JSON object.')
  const targets = listPaths(operation, known).flatMap((path) => listQueries(known).map((query) => path + query))
  const count = Math.max(targets.length, options.samples)
  const probes = Array.from({ length: count }, (_, index): Probe => {
    const filled = body && fillBody(body, operation.bodySchema() ?? {}, options, index)
    const target = targets[index % targets.length] ?? ''
    const isRepeatable = isRead || filled?.insertId !== undefined
    return { operation, target, body: filled && JSON.stringify(filled), isRepeatable }
  })
  return success(probes)
}

interface KnownParameter extends DescribedParameter {
  readonly values: readonly string[]
}

function listValues(document: JsonObject, { schema, pointer }: DescribedParameter): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((value) => value !== null).map(String)
  const examples = readExamples(document, pointer)
  if (examples.length > 0) return examples.map(({ value }) => String(value))
  const single = schema.example ?? schema.default
  return single === undefined ? [] : [String(single)]
}

function listPaths(operation: Operation, parameters: readonly KnownParameter[]): string[] {
  const inPath = parameters.filter((one) => one.in === 'path')
  return inPath.reduce(
    (paths, { name, values }) =>
      paths.flatMap((path) => values.map((value) => path.replaceAll(`{${name}}`, encodeURIComponent(value)))),
    [operation.path],
  )
}

/** Returns a query for each parameter value, with all required parameters; one empty query if there are no values. */
function listQueries(parameters: readonly KnownParameter[]): string[] {
  const inQuery = parameters.filter((one) => one.in === 'query' && one.values.length > 0)
  const required = inQuery.filter((one) => one.required)
  const base = Object.fromEntries(required.map(({ name, values }) => [name, values[0] ?? '']))
  const varied = inQuery.flatMap(({ name, values }) => values.map((value) => ({ ...base, [name]: value })))
  const queries = (varied.length > 0 ? varied : [base]).map((values) => new URLSearchParams(values).toString())
  return [...new Set(queries)].map((query) => (query === '' ? '' : `?${query}`))
}

/** Returns the body with the IDs from `--ids`, and with identifiers that mark the written records as probes. */
function fillBody(example: JsonObject, schema: JsonObject, { ids, runId }: ProbeOptions, index: number): JsonObject {
  const body: Record<string, Json> = { ...example }
  for (const name of Object.keys(schema.properties ?? {})) {
    const given = ids.get(name)
    if (given) body[name] = given[index % given.length] ?? ''
    if (name === 'insertId') body[name] = `convsim-probe-${runId}-${index + 1}`
    // All runs use the same identifier, so that they add versions to one prompt instead of creating several.
    if (name === 'externalPromptId') body[name] = 'convsim-probe-prompt'
  }
  return body
}
