import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'

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

export interface DocumentNode {
  readonly kind: NodeKind
  readonly pointer: string
  readonly value: JsonObject
}

/** A rule for the value of a member: an object of a kind, a list of such objects, or a map of such objects by name. */
type MemberRule = { readonly single: NodeKind } | { readonly list: NodeKind } | { readonly map: NodeKind }

const single = (kind: NodeKind): MemberRule => ({ single: kind })
const list = (kind: NodeKind): MemberRule => ({ list: kind })
const map = (kind: NodeKind): MemberRule => ({ map: kind })

/** The methods of a path item, in lower case as in the document. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The members that a parameter and a header have in common. */
const described = { schema: single('schema'), content: map('mediaType'), examples: map('example') }

/**
 * The members of each kind of OpenAPI 3.1, with the kinds of their values; `*` is every other member. The walk enters
 * no other members, so an example, a default or a property with the name `schema` is never taken for a schema.
 */
const MEMBERS: Readonly<Record<NodeKind, Readonly<Record<string, MemberRule>>>> = {
  document: { paths: map('pathItem'), webhooks: map('pathItem'), components: single('components') },
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
    ...Object.fromEntries(METHODS.map((method) => [method, single('operation')])),
  },
  operation: {
    parameters: list('parameter'),
    requestBody: single('requestBody'),
    responses: map('response'),
    callbacks: map('callback'),
  },
  callback: { '*': single('pathItem') },
  parameter: described,
  header: described,
  requestBody: { content: map('mediaType') },
  response: { headers: map('header'), content: map('mediaType') },
  mediaType: { schema: single('schema'), examples: map('example'), encoding: map('encoding') },
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
        .map((name) => [name, single('schema')]),
    ),
  },
}

/**
 * Yields every object of a document, or of a part of another kind, with a known kind: each before the objects in it, in
 * the document's order.
 */
export const walk = (root: JsonObject, kind: NodeKind = 'document'): Generator<DocumentNode> => visit(kind, '', root)

function* visit(kind: NodeKind, pointer: string, value: Json | undefined): Generator<DocumentNode> {
  if (!isObject(value)) return
  yield { kind, pointer, value }
  const members = MEMBERS[kind]
  for (const [name, member] of Object.entries(value)) {
    const rule = Object.hasOwn(members, name) ? members[name] : members['*']
    if (rule !== undefined) yield* visitMember(rule, joinPointer(pointer, name), member)
  }
}

function* visitMember(rule: MemberRule, pointer: string, member: Json): Generator<DocumentNode> {
  if ('single' in rule) yield* visit(rule.single, pointer, member)
  else if ('map' in rule) yield* visitMap(rule.map, pointer, member)
  else if (Array.isArray(member)) {
    for (const [index, item] of member.entries()) yield* visit(rule.list, joinPointer(pointer, index), item)
  }
}

function* visitMap(kind: NodeKind, pointer: string, member: Json): Generator<DocumentNode> {
  if (!isObject(member)) return
  for (const [name, item] of Object.entries(member)) {
    // A name `x-...` is an extension, except of a schema or a header, for which it is an ordinary name.
    const isExtension = name.startsWith('x-') && kind !== 'schema' && kind !== 'header'
    if (!isExtension) yield* visit(kind, joinPointer(pointer, name), item)
  }
}
