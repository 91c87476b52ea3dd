import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'

/** What stands at a place of an OpenAPI document. */
export type NodeKind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'header'
  | 'requestBody'
  | 'response'
  | 'mediaType'
  | 'encoding'
  | 'example'
  | 'callback'
  | 'schema'

/** An object of the document, with what it is and where it stands. */
export interface DocumentNode {
  readonly kind: NodeKind
  readonly pointer: string
  readonly value: JsonObject
}

/** How a member is read: as one thing, as a list of things, or as things by name. */
type Shape = { readonly one: NodeKind } | { readonly list: NodeKind } | { readonly map: NodeKind }

const one = (kind: NodeKind): Shape => ({ one: kind })
const list = (kind: NodeKind): Shape => ({ list: kind })
const map = (kind: NodeKind): Shape => ({ map: kind })

/** The methods that a path item may have, as the document writes them. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

const described = { schema: one('schema'), content: map('mediaType'), examples: map('example') }

/**
 * OpenAPI 3.1 as a table: which members of which kind hold which kind. A member that is not listed holds nothing that is
 * of interest here; above all, examples and defaults are never mistaken for schemas, nor a property called `schema`.
 */
const MEMBERS: Readonly<Record<NodeKind, Readonly<Record<string, Shape>>>> = {
  document: { paths: map('pathItem'), webhooks: map('pathItem'), components: one('components') },
  components: {
    schemas: map('schema'),
    responses: map('response'),
    parameters: map('parameter'),
    examples: map('example'),
    requestBodies: map('requestBody'),
    headers: map('header'),
    callbacks: map('callback'),
    pathItems: map('pathItem'),
  },
  pathItem: {
    parameters: list('parameter'),
    ...Object.fromEntries(METHODS.map((method) => [method, one('operation')])),
  },
  operation: {
    parameters: list('parameter'),
    requestBody: one('requestBody'),
    responses: map('response'),
    callbacks: map('callback'),
  },
  callback: { '*': one('pathItem') },
  parameter: described,
  header: described,
  requestBody: { content: map('mediaType') },
  response: { headers: map('header'), content: map('mediaType') },
  mediaType: { schema: one('schema'), examples: map('example'), encoding: map('encoding') },
  encoding: { headers: map('header') },
  example: {},
  schema: {
    ...Object.fromEntries(
      ['properties', 'patternProperties', '$defs', 'dependentSchemas'].map((name) => [name, map('schema')]),
    ),
    ...Object.fromEntries(['prefixItems', 'allOf', 'anyOf', 'oneOf'].map((name) => [name, list('schema')])),
    ...Object.fromEntries(
      ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else']
        .concat(['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'])
        .map((name) => [name, one('schema')]),
    ),
  },
}

/** Every object of the document that the table knows, outer before inner, in the document's order. */
export function* walk(document: JsonObject): Generator<DocumentNode> {
  yield* visit('document', '', document)
}

function* visit(kind: NodeKind, pointer: string, value: Json | undefined): Generator<DocumentNode> {
  if (!isObject(value)) return
  yield { kind, pointer, value }
  const members = MEMBERS[kind]
  for (const [name, member] of Object.entries(value)) {
    const shape = Object.hasOwn(members, name) ? members[name] : members['*']
    if (shape !== undefined) yield* visitMember(shape, joinPointer(pointer, name), member)
  }
}

function* visitMember(shape: Shape, pointer: string, member: Json): Generator<DocumentNode> {
  if ('one' in shape) yield* visit(shape.one, pointer, member)
  else if ('map' in shape) yield* visitMap(shape.map, pointer, member)
  else if (Array.isArray(member)) {
    for (const [index, item] of member.entries()) yield* visit(shape.list, joinPointer(pointer, index), item)
  }
}

function* visitMap(kind: NodeKind, pointer: string, member: Json): Generator<DocumentNode> {
  if (!isObject(member)) return
  for (const [name, item] of Object.entries(member)) {
    // `x-...` beside paths, responses and the like is an extension; a schema or a header may really be called so.
    const extension = name.startsWith('x-') && kind !== 'schema' && kind !== 'header'
    if (!extension) yield* visit(kind, joinPointer(pointer, name), item)
  }
}
