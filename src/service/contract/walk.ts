import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'

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
  | 'link'
  | 'callback'
  | 'securityScheme'
  | 'schema'

export interface DocumentNode {
  readonly kind: NodeKind
  readonly pointer: string
  readonly value: JsonObject
}

/** A rule for the value of a member: an object of `kind`, a list of such objects, or a map of such objects by name. */
interface MemberRule {
  readonly form: 'single' | 'list' | 'map' | 'map with extensions'
  readonly kind: NodeKind
}

const single = (kind: NodeKind): MemberRule => ({ form: 'single', kind })
const list = (kind: NodeKind): MemberRule => ({ form: 'list', kind })
const map = (kind: NodeKind): MemberRule => ({ form: 'map', kind })
/** A map in which names with the prefix `x-` are extensions, as in `paths`. In other maps, they are ordinary names. */
const extensibleMap = (kind: NodeKind): MemberRule => ({ form: 'map with extensions', kind })

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

const valueMembers = { schema: single('schema'), content: map('mediaType'), examples: map('example') }

/**
 * The members, in OpenAPI 3 and Swagger 2.0, that contain objects of a known kind; `*` stands for all other members
 * except `$ref` and extensions. All other values are data: an example or default is never mistaken for a schema, even
 * if it has a member named `schema`, and a `$ref` in data is not a reference.
 */
const MEMBERS: Readonly<Partial<Record<NodeKind, Readonly<Record<string, MemberRule>>>>> = {
  document: {
    paths: extensibleMap('pathItem'),
    webhooks: map('pathItem'),
    components: single('components'),
    ...{ definitions: map('schema'), parameters: map('parameter'), responses: map('response') }, // Swagger 2.0
  },
  components: {
    schemas: map('schema'),
    responses: map('response'),
    parameters: map('parameter'),
    examples: map('example'),
    requestBodies: map('requestBody'),
    headers: map('header'),
    securitySchemes: map('securityScheme'),
    links: map('link'),
    callbacks: map('callback'),
    pathItems: map('pathItem'),
    mediaTypes: map('mediaType'),
  },
  pathItem: {
    parameters: list('parameter'),
    ...Object.fromEntries(METHODS.map((method) => [method, single('operation')])),
  },
  operation: {
    parameters: list('parameter'),
    requestBody: single('requestBody'),
    responses: extensibleMap('response'),
    callbacks: map('callback'),
  },
  callback: { '*': single('pathItem') },
  parameter: valueMembers,
  header: valueMembers,
  requestBody: { content: map('mediaType') },
  response: { headers: map('header'), content: map('mediaType'), links: map('link'), schema: single('schema') },
  mediaType: { schema: single('schema'), examples: map('example'), encoding: map('encoding') },
  encoding: { headers: map('header') },
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

/** Yields every object of a known kind in a document, or in the part at `pointer`, outer objects first. */
export function* walk(value?: Json, kind: NodeKind = 'document', pointer = ''): Generator<DocumentNode> {
  if (!isObject(value)) return
  yield { kind, pointer, value }
  for (const [name, member] of Object.entries(value)) {
    const rule = findRule(kind, name)
    if (rule === undefined) continue
    for (const [token, item] of listItems(rule, member)) {
      const at = joinPointer(pointer, name)
      yield* walk(item, rule.kind, token === undefined ? at : joinPointer(at, token))
    }
  }
}

/** Lists the schemas in a document, outer schemas first. */
export const listSchemas = (document: JsonObject): DocumentNode[] =>
  Array.from(walk(document)).filter(({ kind }) => kind === 'schema')

function findRule(kind: NodeKind, name: string): MemberRule | undefined {
  const members = MEMBERS[kind] ?? {}
  if (Object.hasOwn(members, name)) return members[name]
  return name.startsWith('x-') || name === '$ref' ? undefined : members['*']
}

/** Returns the values that a rule describes in a member, each with its pointer token; a single value has no token. */
function listItems({ form }: MemberRule, member: Json): (readonly [string | undefined, Json])[] {
  if (form === 'single') return [[undefined, member]]
  if (form === 'list' ? !Array.isArray(member) : !isObject(member)) return []
  const items = Object.entries(member as JsonObject) // or an array, as checked above
  return form === 'map with extensions' ? items.filter(([name]) => !name.startsWith('x-')) : items
}

/** Returns a copy with inner objects mapped by `onNode`, and data by `onData`; data mapped to undefined is omitted. */
export function mapNodes(
  kind: NodeKind,
  value: JsonObject,
  onNode: (kind: NodeKind, value: JsonObject) => Json,
  onData: (value: Json, name: string) => Json | undefined = (data) => data,
): JsonObject {
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    const rule = findRule(kind, name)
    const mapped = rule === undefined ? onData(member, name) : mapMember(rule, member, onNode)
    if (mapped !== undefined) copy[name] = mapped
  }
  return copy
}

/** Maps a member's objects. Keeps other values, such as the schema `true`, except a map's extensions and strings. */
function mapMember(rule: MemberRule, member: Json, onNode: (kind: NodeKind, value: JsonObject) => Json): Json {
  const mapped = listItems(rule, member).map(([token, item]) => {
    return [token ?? '', isObject(item) ? onNode(rule.kind, item) : item] as const
  })
  if (rule.form === 'single') return mapped[0]?.[1] ?? null
  if (rule.form === 'list') return mapped.map(([, item]) => item)
  return Object.fromEntries(mapped.filter(([, item]) => typeof item !== 'string')) // such as the value of `$ref`
}
