import { redacted } from './redact-token.ts'

/**
 * The patterns of the marks around a private key in PEM or PGP, also in a form. The key between them is in any
 * notation: lines in quotes, with commas, `<br>` or comments.
 */
const beginning = /-{4,5} ?BEGIN[A-Z\d +%]{1,60}PRIVATE[\d +%]{1,3}KEY[A-Z\d +%]{0,10}-{4,5}/g
const end = /-{4,5} ?END[A-Z\d +%]{1,60}PRIVATE[\d +%]{1,3}KEY[A-Z\d +%]{0,10}-{4,5}/g

/** Redacts private keys, each up to the mark of its end, or to the end of the text. */
export function redactPrivateKeys(text: string): string {
  return cutPrivateKeys(text, 0).clean
}

/**
 * Returns the function that redacts the items of a list one after another, since a list may have a private key line by
 * line: the key ends with the item that has the mark of its end, or with the list.
 */
export function createLineRedaction(): (text: string) => string {
  let isOpen = false
  return (text) => {
    const stop = isOpen ? find(end, text, 0) : undefined
    if (isOpen && !stop) return redacted
    const cut = cutPrivateKeys(text, stop?.after ?? 0)
    isOpen = cut.isOpen
    return stop ? redacted + cut.clean : cut.clean
  }
}

/** Redacts the private keys behind an index. `isOpen`: true where the end of the last one is missing. */
function cutPrivateKeys(text: string, index: number): { readonly clean: string; readonly isOpen: boolean } {
  let clean = ''
  for (let from = index; ; ) {
    const start = text.includes('BEGIN', from) ? find(beginning, text, from) : undefined
    if (!start) return { clean: clean + text.slice(from), isOpen: false }
    clean += text.slice(from, start.at) + redacted
    const stop = find(end, text, start.after)
    if (!stop) return { clean, isOpen: true }
    from = stop.after
  }
}

function find(mark: RegExp, text: string, from: number): { at: number; after: number } | undefined {
  mark.lastIndex = from
  const found = mark.exec(text)
  return found ? { at: found.index, after: mark.lastIndex } : undefined
}
