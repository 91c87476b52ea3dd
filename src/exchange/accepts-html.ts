/**
 * Returns true if `accept`, the header if there is one, asks for HTML by name, as browsers do. The range of all media
 * types, which curl and `fetch` send, does not count.
 */
export function acceptsHtml(accept: string | undefined): boolean {
  const ranges = accept?.split(',') ?? []
  return ranges.some((range) => {
    const [mediaType, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return mediaType === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
