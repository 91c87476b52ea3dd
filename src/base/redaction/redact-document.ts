import { isHiddenText, redactText } from './redact.ts'
import { isHidden, redacted } from './redact-token.ts'

/**
 * Redacts a body that is not JSON: what `redactText` redacts, an OAuth code at the start of a form, and any form part,
 * XML element or YAML line with a credential name. Not for strings in JSON, which can be text like `Key: C major`.
 */
export function redactDocument(text: string, token?: string): string {
  const clean = redactText(text, token)
  return clean
    .replace(formCode, `$1${redacted}`)
    .replace(formPart, hideValue)
    .replace(xmlElement, hideValue)
    .replace(yamlLine, (whole, head: string, name: string, value: string) =>
      value.includes(redacted) ? whole : hideValue(whole, head, name, value),
    )
}

const formCode = /^(code=)[^&\s]+(?=&)/

// The patterns below take linear time: a match can start only at a `<` or at the start of a line, and the part before
// the value cannot run past the next position where a match could start.

/** Matches a part of multipart/form-data: its head, its name, and its value up to the next boundary. */
const formPart =
  /(^content-disposition: ?form-data; ?name="?((?<=")[^"\r\n]{1,200}(?=")|(?<!")[^";\r\n]{1,200}(?=[;\r]))[^\r\n]{0,300}\r\n(?:content-(?!disp)[^\r\n]{0,300}\r\n){0,5}\r\n)([^\r]*(?:\r(?!\n--)[^\r]*)*)/gim

/** Matches an XML element that contains text or CDATA: its opening tag, its local name, and the text. */
const xmlElement = /(<(?:[\w.-]{1,100}:)?([\w.-]{1,100})(?:\s[^<>]*)?>)((?:<!\[CDATA\[)?[^<]+)/g

const yamlLine = /(^[ \t]*(?:- )?["']?([\w.-]{1,100})["']?:[ \t]+)([^\r\n]+)/gm

function hideValue(whole: string, head: string, name: string, value: string): string {
  return value.trim() !== '' && isHiddenText(name, value) ? `${head}${redacted}` : whole
}

/** The number of characters at the start of a text body that are searched for credentials. Messages quote fewer. */
const searchedLength = 1000

/** Returns what to quote instead of a credential; undefined for other values. `names`: the path; empty for the body. */
export function hideCredential(names: readonly string[], value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const beginning = names.length === 0 ? String(value).slice(0, searchedLength) : ''
  const isSecret = redactDocument(beginning) !== beginning || names.some((name) => isHidden(name, value))
  return isSecret ? redacted : undefined
}
