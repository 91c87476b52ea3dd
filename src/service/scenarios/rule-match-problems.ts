import { type Flaw, isObject, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { cutText, describeKnown } from '../../base/core/text.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { isQueryParameterName } from '../contract/parameters.ts'
import type { RequestMatch } from '../exchange/match.ts'

const maxUnknownFields = 100

/** Returns a message about an unknown operation, or undefined if the operation is known or none is given. */
export function findUnknownOperation(id: string | undefined, operations: readonly Operation[]): string | undefined {
  const known = operations.map((operation) => operation.id)
  if (id === undefined || known.includes(id)) return undefined
  return `Unknown operation "${cutText(id, 200)}". ${describeKnown(id, known, 'GET /__sim/info lists all operations.')}`
}

/** Finds conditions in a rule's `match` that do not fit any of the rule's operations. */
export function findMatchProblems(
  match: RequestMatch,
  pointer: string,
  contract: Contract,
  operations: readonly Operation[],
): Flaw[] {
  if (operations.length === 0) return [] // an unknown operation is reported separately
  const problems = [
    ['model', findImpossibleModel(match, operations)],
    ['method', findImpossibleMethod(match, operations)],
    ['path', findImpossiblePath(match, contract, operations)],
    ['query', findUnknownParameter(match, operations)],
    ...findUnknownFields(match, operations).map((message) => ['body', message]),
  ]
  return problems.flatMap(([name, message]) =>
    message === undefined ? [] : [{ pointer: `${pointer}/${name}`, message }],
  )
}

const listIds = (operations: readonly Operation[]) => operations.map(({ id }) => id).join(' or ')

export const hasModelParameter = ({ path }: Operation) => path.includes('{')

function findImpossibleModel({ model }: RequestMatch, operations: readonly Operation[]): string | undefined {
  if (model === undefined || operations.some(hasModelParameter)) return undefined
  return `There is no model in the path of ${listIds(operations)}.`
}

function findImpossibleMethod({ method }: RequestMatch, operations: readonly Operation[]): string | undefined {
  const known = [...new Set(operations.map((operation) => operation.method))]
  if (method === undefined || known.includes(method.toUpperCase())) return undefined
  return `No request to ${listIds(operations)} has the method "${method}". ${describeKnown(method, known)}`
}

function findImpossiblePath(
  { path }: RequestMatch,
  { match }: Contract,
  operations: readonly Operation[],
): string | undefined {
  const bare = path?.replace(/^\/_s\/[^/]*(?=\/)/, '') ?? '' // without a sandbox's base path
  const isMatched = (operation: Operation) => {
    const found = match(operation.method, bare)
    return found.kind === 'operation' && found.operation.id === operation.id
  }
  if (path === undefined || operations.some(isMatched)) return undefined
  const known = [...new Set(operations.map((operation) => operation.basePath + operation.path))]
  return `No request to ${listIds(operations)} has the path "${cutText(path, 200)}". ${describeKnown(path, known)}`
}

/** Describes the first unknown query parameter, if any. Ignores null conditions, which forbid a parameter. */
export function findUnknownParameter({ query = {} }: RequestMatch, operations: readonly Operation[]) {
  const parameters = operations.flatMap((operation) => operation.parameters)
  const unknown = Object.keys(query).find((name) => query[name] !== null && !isQueryParameterName(parameters, name))
  if (unknown === undefined) return undefined
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  return `Unknown query parameter "${cutText(unknown)}". ${describeKnown(unknown, [...new Set(known)])}`
}

export function findUnknownFields({ body = {} }: RequestMatch, operations: readonly Operation[]): string[] {
  const schemas = operations.map((operation) => operation.bodySchema()).filter((schema) => schema !== undefined)
  const unknown = listPointers(body)
    .filter((field) => !schemas.some((schema) => hasField(schema, field)))
    .slice(0, maxUnknownFields)
  const known = [...new Set(schemas.flatMap((schema) => Object.keys(propertiesOf(schema))))].map((name) => `/${name}`)
  return unknown.map(
    (field) => `No request body has the field "${cutText(field, 500)}". ${describeKnown(field, known)}`,
  )
}

/** Returns the pointers in a body condition: its keys if they are pointers, or else a pointer to each leaf value. */
function listPointers(body: JsonObject): string[] {
  const names = Object.keys(body)
  return names.every((name) => name === '' || name.startsWith('/')) ? names : [...partPointers(body, '')]
}

function* partPointers(part: JsonObject, above: string): Generator<string> {
  for (const [name, value] of Object.entries(part)) {
    const pointer = joinPointer(above, name)
    if (isObject(value) && Object.keys(value).length > 0) yield* partPointers(value, pointer)
    else yield pointer
  }
}

/** Returns true if the schema declares the field at a pointer, or allows any member in an enclosing object. */
function hasField(schema: JsonObject, pointer: string): boolean {
  const [, token, ...rest] = pointer.split('/')
  if (token === undefined) return pointer === ''
  if (allowsAnyMember(schema)) return true
  const properties = propertiesOf(schema)
  const named = Object.hasOwn(properties, token) ? properties[token] : undefined
  const inner = named ?? (/^\d+$/.test(token) ? schema['items'] : undefined)
  if (!isObject(inner)) return false
  return rest.length === 0 || hasField(inner, `/${rest.join('/')}`)
}

/** Returns true for an object schema that neither lists nor forbids members. If any are listed, others may be typos. */
function allowsAnyMember({ type = 'object', properties, additionalProperties }: JsonObject): boolean {
  return [type].flat().includes('object') && properties === undefined && additionalProperties !== false
}

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {})
