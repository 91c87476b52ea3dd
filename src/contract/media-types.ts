/** A media type without its parameters, in lower case: `application/json` of `Application/JSON; charset=utf-8`. */
export function bareMediaType(mediaType: string): string {
  const semicolon = mediaType.indexOf(';')
  return (semicolon === -1 ? mediaType : mediaType.slice(0, semicolon)).trim().toLowerCase()
}

/** Whether values of this media type are JSON: `application/json`, `application/problem+json`, or a range over them. */
export function isJson(mediaType: string): boolean {
  return /^(application|text|\*)\/(json|\*|[^/]+\+json)$/.test(bareMediaType(mediaType))
}

/**
 * Which of the media types of a document covers the one that was sent. The document's may be ranges: an exact one wins
 * over `application/*+json`, that over `application/*`, that over everything.
 */
export function matchMediaType(documented: readonly string[], sent: string): string | undefined {
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
