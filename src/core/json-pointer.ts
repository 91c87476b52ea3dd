import { isObject, type Json } from './json.ts'

/** JSON pointer (RFC 6901) of a place below another: `below('/paths', '/events')` is `/paths/~1events`. */
export function below(pointer: string, ...tokens: readonly (string | number)[]): string {
  let result = pointer
  for (const token of tokens) result += `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`
  return result
}

/** The tokens of a JSON pointer, unescaped; none for the empty pointer. */
export function tokensOf(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What a pointer points at; undefined where there is nothing. Inherited members are nothing. */
export function valueAt(root: Json | undefined, pointer: string): Json | undefined {
  let value = root
  for (const token of tokensOf(pointer)) {
    if (Array.isArray(value)) value = value[Number(token)]
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token]
    else return undefined
  }
  return value
}

/** The pointer as a URI fragment: `#/paths/~1models~1%7BmodelId%7D`. */
export function asFragment(pointer: string): string {
  return `#${pointer.split('/').map(encodeURIComponent).join('/')}`
}

/** The pointer of a reference within the document (`#/components/schemas/Error`); undefined for any other reference. */
export function pointerOf(reference: string): string | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
}
