import { isJson } from '../contract/media-types.ts'
import { resolve } from '../contract/resolve.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer, valueAt } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Edit } from '../documents/edit.ts'
import type { DriftFinding } from './finding.ts'
import { inferSchema } from './infer-schema.ts'
import { listHeaders } from './observe-head.ts'
import { findBodySchema, findOperation, findResponse, type ResponsePlace } from './places.ts'

/** Plans the changes for a status, a header or a media type; undefined: the finding is about none of them. */
export function planResponseEdits(
  document: JsonObject,
  finding: DriftFinding,
): Result<readonly Edit[]> | undefined {
  const { operation, status, kind } = finding
  if (kind === 'broken-json')
    return failure('A body that is no JSON is a fault of the service; no contract allows it.')
  if (kind === 'undocumented-status') return addStatus(document, finding)
  const response = findResponse(document, operation, status)
  if (kind === 'content-type' && response) return addMediaType(response, finding)
  return kind === 'header' && response ? loosenHeader(document, response, finding) : undefined
}

/** Adds a response. Its schema is that of a documented response of the same class which the bodies fit, or else what was seen. */
function addStatus(
  document: JsonObject,
  { operation, status, values }: DriftFinding,
): Result<readonly Edit[]> {
  const pointer = findOperation(document, operation)
  if (pointer === undefined) return failure('The contract does not have the operation any more.')
  const alike = operation.statuses.find(
    (other) =>
      Math.floor(other / 100) === Math.floor(status / 100) &&
      values.length > 0 &&
      values.every((body) => operation.checkResponse(other, body).length === 0),
  )
  const response = alike === undefined ? undefined : findResponse(document, operation, alike)
  const known = response && findBodySchema(response)
  const schema = known === undefined ? inferSchema(values) : copyOf(document, known)
  const content: JsonObject = values.length > 0 ? { content: { 'application/json': { schema } } } : {}
  return success([
    {
      kind: 'set',
      pointer: joinPointer(pointer, 'responses', status),
      value: { description: 'Seen by convsim drift.', ...content },
    },
  ])
}

/** Returns a schema as it stands at a place: a reference stays one. */
function copyOf(document: JsonObject, pointer: string): Json {
  return structuredClone(valueAt(document, pointer) ?? {})
}

function addMediaType(response: ResponsePlace, { detail }: DriftFinding): Result<readonly Edit[]> {
  const [mediaType = ''] = detail.split(';')
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType.trim()))
    return failure('The answer has no media type that could be documented.')
  const content = isObject(response.value.content) ? response.value.content : {}
  const json = Object.keys(content).find(isJson)
  const known = json === undefined ? undefined : content[json]
  const media =
    isJson(mediaType) && isObject(known) && known.schema !== undefined ? { schema: known.schema } : {}
  return success([
    { kind: 'set', pointer: joinPointer(response.pointer, 'content', mediaType.trim()), value: media },
  ])
}

function loosenHeader(
  document: JsonObject,
  response: ResponsePlace,
  { detail, keyword }: DriftFinding,
): Result<readonly Edit[]> {
  const header = listHeaders(document, response).find(({ name }) => name === detail)
  if (!header) return failure('The contract does not have the header any more.')
  if (keyword === 'required')
    return success([{ kind: 'set', pointer: joinPointer(header.pointer, 'required'), value: false }])
  const found = resolve(document, joinPointer(header.pointer, 'schema'))
  if (!found) return failure('The header has no schema.')
  const { type, enum: values } = found.value
  if (Array.isArray(values)) return success([{ kind: 'remove', pointer: joinPointer(found.pointer, 'enum') }])
  const types = [...[type ?? []].flat(), 'string']
  return success([{ kind: 'set', pointer: joinPointer(found.pointer, 'type'), value: types }])
}
