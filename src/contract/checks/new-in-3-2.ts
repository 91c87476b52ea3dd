import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer, parsePointer, valueAt } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { bareMediaType } from '../media-types.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'

/** A member that OpenAPI 3.2 adds: what comes of it. */
type Note = readonly [severity: Finding['severity'], message: string]

const notServed = 'a request with such a method is refused'
const noEffect: Note = ['info', 'is new in OpenAPI 3.2, and has no effect here']
const notChecked: Note = ['info', 'is new in OpenAPI 3.2: the parts of a body are not checked']

/** The new members that the walk meets, by the kind of their object. */
const NEW_MEMBERS: { readonly [Kind in NodeKind]?: Readonly<Record<string, Note>> } = {
  document: {
    $self: [
      'info',
      'is new in OpenAPI 3.2, and is not used: only references within the document are followed',
    ],
  },
  components: {
    mediaTypes: [
      'info',
      'is new in OpenAPI 3.2, and is not used: references to media types are not followed',
    ],
  },
  pathItem: {
    query: ['warning', `is new in OpenAPI 3.2, and is not served: ${notServed}`],
    additionalOperations: [
      'warning',
      `is new in OpenAPI 3.2, and its operations are not served: ${notServed}`,
    ],
  },
  mediaType: {
    $ref: [
      'error',
      'cannot be followed: references to media types (OpenAPI 3.2) are not supported. Write the media type out',
    ],
    itemSchema: [
      'warning',
      'is new in OpenAPI 3.2, and is not used: the items of a stream are not checked, and an answer is the whole text of an example',
    ],
    prefixEncoding: notChecked,
    itemEncoding: notChecked,
  },
  encoding: { encoding: notChecked, prefixEncoding: notChecked, itemEncoding: notChecked },
  example: {
    serializedValue: ['info', 'is new in OpenAPI 3.2, and is not used: "dataValue" or "value" is answered'],
  },
  response: { summary: noEffect },
}

/** The new members that the walk does not meet, by the tokens of their pointers; `*` is every name and index. */
const NEW_PLACES: readonly (readonly [tokens: readonly string[], note: Note])[] = [
  ...['summary', 'parent', 'kind'].map((name) => [['tags', '*', name], noEffect] as const),
  [['servers', '*', 'name'], noEffect],
  [['components', 'securitySchemes', '*', 'deprecated'], noEffect],
  [['components', 'securitySchemes', '*', 'oauth2MetadataUrl'], noEffect],
  [
    ['components', 'securitySchemes', '*', 'flows', 'deviceAuthorization'],
    ['info', 'is new in OpenAPI 3.2, and has no effect here: the simulator issues no tokens'],
  ],
]

/** The media types whose body is a sequence of items. */
const SEQUENTIAL =
  /^(text\/event-stream|multipart\/mixed|application\/(jsonl|x-ndjson|json-seq|[^/]+\+json-seq))$/

/**
 * Names the parts of a 3.2 document that 3.1 does not have, each with what comes of it: an error for what cannot be served. It changes the document
 * in place where 3.1 says the same (`dataValue` of an example), and deletes the schemas of sequences, which our checks would apply to the text.
 */
export function checkNewParts(document: JsonObject, source: Source): Finding[] {
  if (!String(document.openapi).startsWith('3.2')) return []
  const nodes = [...walk(document)]
  const noted = [
    ...nodes.flatMap((node) => [...listNewMembers(node), ...listSpecialNotes(node)]),
    ...NEW_PLACES.flatMap(([tokens, note]) =>
      findPlaces(document, tokens).map((pointer): NotedPlace => [pointer, note]),
    ),
  ]
  for (const node of nodes) normalise(node)
  return noted.map(([pointer, [severity, message]]) => ({
    severity,
    place: source.place(pointer),
    message: `${nameOf(pointer)} ${message}`,
  }))
}

type NotedPlace = [pointer: string, note: Note]

/** Lists the notes on members that 3.1 does not have. */
function listNewMembers({ kind, pointer, value }: DocumentNode): NotedPlace[] {
  const notes = new Map(Object.entries(NEW_MEMBERS[kind] ?? {}))
  return Object.keys(value).flatMap((name) => {
    const note = notes.get(name)
    return note ? [[joinPointer(pointer, name), note]] : []
  })
}

const nameOf = (pointer: string) => `"${parsePointer(pointer).at(-1) ?? ''}"`

/** Lists the notes on new values of members that 3.1 has, too. */
function listSpecialNotes({ kind, pointer, value }: DocumentNode): NotedPlace[] {
  const at = (...tokens: string[]) => joinPointer(pointer, ...tokens)
  if (kind === 'parameter' && value.in === 'querystring')
    return [
      [
        at('in'),
        [
          'warning',
          'is "querystring", which is new in OpenAPI 3.2: the parameter is ignored, and the query is not checked against it',
        ],
      ],
    ]
  if (kind === 'schema')
    return (['discriminator/defaultMapping', 'xml/nodeType'] as const)
      .map((path) => at(...path.split('/')))
      .filter((place) => valueAt(value, place.slice(pointer.length)) !== undefined)
      .map((place) => [place, noEffect])
  if (kind === 'mediaType' && isSequence(pointer) && value.schema !== undefined)
    return [
      [
        at('schema'),
        ['warning', 'of a sequence of items (OpenAPI 3.2) is not used: the body is not checked'],
      ],
    ]
  return []
}

const isSequence = (pointer: string) => SEQUENTIAL.test(bareMediaType(parsePointer(pointer).at(-1) ?? ''))

function normalise({ kind, pointer, value }: DocumentNode): void {
  if (kind === 'example' && value.dataValue !== undefined && value.value === undefined)
    value.value = value.dataValue
  if (kind === 'mediaType' && isSequence(pointer)) delete value.schema
  // A reference that is reported here would be reported again.
  if (kind === 'mediaType') delete value.$ref
}

/** Returns the pointers of the values that tokens lead to. */
function findPlaces(root: Json | undefined, tokens: readonly string[], pointer = ''): string[] {
  const [token, ...rest] = tokens
  if (root === undefined) return []
  if (token === undefined) return [pointer]
  if (typeof root !== 'object' || root === null) return []
  const names = token === '*' ? Object.keys(root) : [token]
  return names.flatMap((name) => {
    const member = Array.isArray(root)
      ? root[Number(name)]
      : isObject(root) && Object.hasOwn(root, name)
        ? root[name]
        : undefined
    return findPlaces(member, rest, joinPointer(pointer, name))
  })
}
