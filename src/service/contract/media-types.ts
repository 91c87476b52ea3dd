import type { Shape } from './request/shape.ts'

/** Returns a media type in lower case without parameters: `application/json` for `Application/JSON; charset=utf-8`. */
export const bareMediaType = (mediaType: string): string => mediaType.replace(/;.*/s, '').trim().toLowerCase()

/** Returns true for a JSON type (`application/problem+json`), or a range that includes such types (`application/*`). */
export function isJson(mediaType: string): boolean {
  return /^(application|text|\*)\/(json|\*|[^/]+\+json)$/.test(bareMediaType(mediaType))
}

/** Finds the documented type that matches a sent type: the same type, or a range such as `application/*`. */
export function matchMediaType(documented: readonly string[], sent: string): string | undefined {
  if (documented.includes(sent)) return sent // the usual case; the search below takes as long as checking a body
  const type = bareMediaType(sent)
  const [family = '', name = ''] = type.split('/')
  const suffix = name.includes('+') ? name.slice(name.lastIndexOf('+')) : undefined
  const ranges = [type, suffix && `${family}/*${suffix}`, `${family}/*`, '*/*']
  for (const range of ranges) {
    const found = documented.find((candidate) => bareMediaType(candidate) === range)
    if (found !== undefined) return found
  }
  return undefined
}

export const isForm = (mediaType: string): boolean => bareMediaType(mediaType) === 'application/x-www-form-urlencoded'

/** Returns true if a non-JSON body is checked: a form with an object schema, or text with a schema for strings. */
export const isCheckedText = (mediaType: string, { types, takesText }: Shape): boolean =>
  (isForm(mediaType) && types.has('object')) || (takesText && !bareMediaType(mediaType).startsWith('multipart/'))
