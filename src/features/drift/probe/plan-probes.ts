import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer, valueAt } from '../../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Contract, DescribedParameter, Operation } from '../../../service/contract/contract.ts'
import { isJson } from '../../../service/contract/media-types.ts'
import { readExamples, resolve } from '../../../service/contract/resolve.ts'
import { findOperation } from '../observe/places.ts'

/** A request that asks the real service and the simulator alike. */
export interface Probe {
  readonly operation: Operation
  /** Path and query below the base path: `/models/ID/analytics?period=7d`. */
  readonly target: string
  readonly body: string | undefined
  /** False for a write that would be done twice if it were sent again. */
  readonly isRepeatable: boolean
}

/** The probes of a run, and the operations that get none. */
export interface ProbePlan {
  readonly probes: readonly Probe[]
  readonly unplanned: readonly { readonly operation: string; readonly sentence: string }[]
}

interface ProbeOptions {
  /** The known values of parameters and of members of bodies, by name. */
  readonly ids: ReadonlyMap<string, readonly string[]>
  readonly withWrites: boolean
  /** The fewest probes of an operation: those that vary its parameters are repeated. */
  readonly samples: number
  /** The part of idempotency keys that differs between runs: `20260115T120000Z`. */
  readonly run: string
}

const probePrefix = 'convsim-probe-'

/** The members of bodies that name what is written, so that it can be found and told from real data. */
const markedMembers = ['insertId', 'externalPromptId']

/** Plans the probes: for each operation all known ids, and all values of each parameter with a list of values. */
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

/** Returns the probes of an operation. The error is a sentence that says why it has none. */
function planOperation({ document }: Contract, operation: Operation, options: ProbeOptions): Result<readonly Probe[]> {
  const { method, parameters } = operation
  const isRead = method === 'GET'
  if (!isRead && !options.withWrites)
    return failure(`A ${method} writes. --writes=HOST, with the host of the service, sends it.`)
  const pointer = findOperation(document, operation) ?? ''
  const valuesOf = (parameter: DescribedParameter) =>
    options.ids.get(parameter.name) ?? listValues(document, pointer, parameter)
  const missing = parameters.find((one) => one.required && valuesOf(one).length === 0)?.name
  if (missing !== undefined)
    return failure(`No value is known for its parameter "${missing}". Give one: --ids ${missing}=VALUE.`)
  if (parameters.some((one) => one.required && one.in === 'header'))
    return failure('It needs a header that probes do not send.')
  const body = isRead ? undefined : findBody(document, pointer)
  if (body === undefined && operation.body?.required) return failure('The contract has no example of its body.')
  const paths = fillPath(operation, valuesOf)
  const targets = paths.flatMap((path) => listQueries(operation, valuesOf).map((query) => path + query))
  const count = Math.max(targets.length, options.samples)
  const probes = Array.from({ length: count }, (_, index): Probe => {
    const filled = body && fillBody(body, operation.bodySchema() ?? {}, options, index + 1)
    return {
      operation,
      target: targets[index % targets.length] ?? '',
      body: filled && JSON.stringify(filled),
      isRepeatable: isRead || filled?.insertId !== undefined,
    }
  })
  return success(probes)
}

/** Returns the values of a parameter that the contract names: its list, else its examples, else its default. */
function listValues(document: JsonObject, operation: string, parameter: DescribedParameter): string[] {
  const { schema } = parameter
  if (Array.isArray(schema.enum)) return schema.enum.filter((value) => value !== null).map(String)
  const pointer = findParameter(document, operation, parameter)
  const examples = pointer === undefined ? [] : readExamples(document, pointer)
  if (examples.length > 0) return examples.map(({ value }) => String(value))
  const single = schema.example ?? schema.default
  return single === undefined ? [] : [String(single)]
}

/** Finds a parameter in the lists of an operation and of its path item. */
function findParameter(
  document: JsonObject,
  operation: string,
  { name, in: location }: DescribedParameter,
): string | undefined {
  const owners = [operation, operation.slice(0, operation.lastIndexOf('/'))]
  const all = owners.flatMap((owner) => {
    const list = joinPointer(owner, 'parameters')
    const items = valueAt(document, list)
    return Array.isArray(items) ? items.flatMap((_, index) => resolve(document, joinPointer(list, index)) ?? []) : []
  })
  const isNamed = (other: Json | undefined) => String(other).toLowerCase() === name.toLowerCase()
  return all.find(({ value }) => value.in === location && isNamed(value.name))?.pointer
}

type ValuesOf = (parameter: DescribedParameter) => readonly string[]

/** Returns the paths of an operation with each combination of the values of its path parameters. */
function fillPath({ parameters, path: template }: Operation, valuesOf: ValuesOf): string[] {
  let paths = [template]
  for (const parameter of parameters.filter((one) => one.in === 'path'))
    paths = paths.flatMap((path) =>
      valuesOf(parameter).map((value) => path.replaceAll(`{${parameter.name}}`, encodeURIComponent(value))),
    )
  return paths
}

/** Returns the queries of an operation: each value of each parameter once, beside the parameters that are required. */
function listQueries({ parameters }: Operation, valuesOf: ValuesOf): string[] {
  const inQuery = parameters.filter((one) => one.in === 'query' && valuesOf(one).length > 0)
  const required = inQuery.filter((one) => one.required)
  const base = Object.fromEntries(required.map((one) => [one.name, valuesOf(one)[0] ?? '']))
  const varied = inQuery.flatMap((one) => valuesOf(one).map((value) => ({ ...base, [one.name]: value })))
  const queries = (varied.length > 0 ? varied : [base]).map((values) => new URLSearchParams(values).toString())
  return [...new Set(queries)].map((query) => (query === '' ? '' : `?${query}`))
}

/** Finds the first JSON example of an operation's body, if any. */
function findBody(document: JsonObject, operation: string): JsonObject | undefined {
  const body = resolve(document, joinPointer(operation, 'requestBody'))
  const content = isObject(body?.value.content) ? body.value.content : {}
  const mediaType = Object.keys(content).find(isJson)
  if (!body || mediaType === undefined) return undefined
  const [example] = readExamples(document, joinPointer(body.pointer, 'content', mediaType))
  return isObject(example?.value) ? example.value : undefined
}

/** Returns the body with the ids of the user, and with identifiers that name it as a probe. */
function fillBody(example: JsonObject, schema: JsonObject, { ids, run }: ProbeOptions, number: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const body: Record<string, Json> = { ...example }
  for (const name of Object.keys(properties)) {
    const given = ids.get(name)
    if (given) body[name] = given[(number - 1) % given.length] ?? ''
    // A prompt has one identifier for all runs, so that they make versions and not prompts.
    if (markedMembers.includes(name)) body[name] = probePrefix + (name === 'insertId' ? `${run}-${number}` : 'prompt')
  }
  return body
}
