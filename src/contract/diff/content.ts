import { isObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { bareMediaType } from '../media-types.ts'
import type { ResolvedObject } from '../resolve.ts'
import type { Direction } from './change.ts'
import type { OperationPair } from './operation-pair.ts'
import { compareSchemas } from './schemas.ts'

/** Compares the media types of a message and their schemas. A media type that a request may no longer have, and one that an answer no longer has, break. */
export function compareContent(
  pair: OperationPair,
  old: ResolvedObject,
  present: ResolvedObject,
  direction: Direction,
  subject: string,
): void {
  const [olds, presents] = [listMediaTypes(old), listMediaTypes(present)]
  const { changes, after } = pair
  const operation = after.id
  for (const [mediaType, pointer] of olds) {
    const other = presents.get(mediaType)
    if (other === undefined)
      changes.add({
        kind: 'media-type-removed',
        level: 'breaking',
        operation,
        message: `${subject} is no longer ${mediaType}`,
        old: pointer,
        new: present.pointer,
      })
    else
      compareSchemas(
        { ...pair, operation, direction, subject },
        joinPointer(pointer, 'schema'),
        joinPointer(other, 'schema'),
      )
  }
  for (const [mediaType, pointer] of presents)
    if (!olds.has(mediaType))
      changes.add({
        kind: 'media-type-added',
        level: 'compatible',
        operation,
        message: `${subject} can be ${mediaType}`,
        old: old.pointer,
        new: pointer,
      })
}

/** Returns the pointers of the media types by their names without parameters. */
function listMediaTypes({ pointer, value }: ResolvedObject): ReadonlyMap<string, string> {
  const names = isObject(value.content) ? Object.keys(value.content) : []
  return new Map(names.map((name) => [bareMediaType(name), joinPointer(pointer, 'content', name)]))
}
