import { endOfString } from './strict-json.ts'

/** Removes the white space between the tokens of valid JSON; all else stays as it is spelled. */
export function compactJson(text: string): string {
  let compact = ''
  let at = 0
  while (at < text.length) {
    const opening = text.indexOf('"', at)
    compact += text.slice(at, opening < 0 ? text.length : opening).replace(/\s/g, '')
    if (opening < 0) break
    at = endOfString(text, opening) || text.length
    compact += text.slice(opening, at)
  }
  return compact
}
