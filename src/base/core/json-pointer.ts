import { isObject, type Json } from './json.ts'

/** Escapes tokens and appends them to a JSON Pointer: `joinPointer('/paths', '/events')` is `/paths/~1events`. */
export function joinPointer(pointer: string, ...tokens: readonly (string | number)[]): string {
  let result = pointer
  for (const token of tokens) result += `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`
  return result
}

/** Returns the unescaped tokens of a JSON Pointer: an empty list for the empty pointer. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the value at a pointer, or undefined if there is none. Inherited members are ignored. */
export function valueAt(root: Json | undefined, pointer: string): Json | undefined {
  return valueAtTokens(root, parsePointer(pointer))
}

export function valueAtTokens(root: Json | undefined, tokens: readonly string[]): Json | undefined {
  let value = root
  for (const token of tokens) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token]
    else return undefined
  }
  return value
}

/** Returns a pointer as a URI fragment: `#/paths/~1models~1%7BmodelId%7D`. */
export function toFragment(pointer: string): string {
  return `#${pointer.split('/').map(encodeURIComponent).join('/')}`
}

/** Returns the pointer in a local reference (`#/components/schemas/Error`), or undefined for any other text. */
export function parseReference(reference: string): string | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
}

/**
 * Returns a copy of `whole` with the value at a path replaced, if the path exists. If `value` is undefined, a member is
 * removed, but a list item becomes null.
 */
export function replaceAt(whole: Json, [token, ...rest]: readonly string[], value: Json | undefined): Json | undefined {
  if (token === undefined) return value
  if (Array.isArray(whole)) {
    const index = Number(token)
    return index in whole ? whole.with(index, replaceAt(whole[index] ?? null, rest, value) ?? null) : whole
  }
  if (!isObject(whole) || !Object.hasOwn(whole, token)) return whole
  const { [token]: old = null, ...others } = whole
  const inner = replaceAt(old, rest, value)
  return inner === undefined ? others : { ...whole, [token]: inner }
}
