import { isObject, type Json } from './json.ts'

/** Yields the JSON of a value in pieces: lists of objects item by item, and objects with such a list by member. */
export function* jsonPieces(value: Json): Generator<string> {
  if (isListOfObjects(value)) yield* piecesOfList(value)
  else if (isObject(value) && Object.values(value).some(isListOfObjects)) yield* piecesOfObject(value)
  else yield JSON.stringify(value)
}

function isListOfObjects(value: Json): value is Json[] {
  return Array.isArray(value) && isObject(value[0])
}

function* piecesOfList(list: readonly Json[]): Generator<string> {
  let separator = '['
  for (const item of list) {
    yield separator
    yield* jsonPieces(item)
    separator = ','
  }
  yield ']'
}

function* piecesOfObject(object: { readonly [name: string]: Json | undefined }): Generator<string> {
  let separator = '{'
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* jsonPieces(member)
    separator = ','
  }
  yield '}'
}
