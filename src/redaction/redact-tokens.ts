import { listTokenForms, minTokenLength, redactCutParts, redacted, redactToken } from './redact-token.ts'

/**
 * Redaction of many tokens. Text by text, token by token would take tokens times texts: 4,000 requests with tokens of
 * their own took minutes. So tokens
 * are found by their first characters, and a text is read once, however many tokens there are.
 */

/** The number of tokens up to which each is looked for by itself, which is quicker. */
const fewTokens = 4

/** Creates a function that redacts tokens of at least `minTokenLength` characters, in all forms. */
export function createTokenRedactor(tokens: ReadonlySet<string>): (text: string) => string {
  // A longer one first, which another may be a part of.
  const sorted = [...tokens].sort((one, other) => other.length - one.length)
  if (sorted.length <= fewTokens) return (text) => sorted.reduce(redactToken, text)
  const index = new TokenIndex(sorted)
  return (text) => redactCutParts(index.redact(text), (part) => index.hasParts(part))
}

/** The tokens with the same first characters, by their length; the longest come first. */
type Bucket = ReadonlyMap<number, ReadonlySet<string>>

class TokenIndex {
  readonly #buckets = new Map<string, Map<number, Set<string>>>()
  /** True at the digest of two characters with which a token begins. */
  readonly #beginnings = new Uint8Array(2 ** 16)
  readonly #tokens: readonly string[]
  #parts: ReadonlySet<string> | undefined

  /** @param tokens the longest first */
  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
    const forms = tokens.flatMap(listTokenForms).sort((one, other) => other.length - one.length)
    for (const form of forms) this.#add(form)
  }

  #add(form: string): void {
    this.#beginnings[digestAt(form, 0)] = 1
    const beginning = form.slice(0, minTokenLength)
    const bucket = this.#buckets.get(beginning) ?? new Map<number, Set<string>>()
    this.#buckets.set(beginning, bucket)
    bucket.set(form.length, (bucket.get(form.length) ?? new Set()).add(form))
  }

  redact(text: string): string {
    let clean = ''
    let copied = 0
    for (let at = 0; at + minTokenLength <= text.length; ) {
      const length = this.#beginnings[digestAt(text, at)] === 1 ? this.#lengthAt(text, at) : 0
      if (length > 0) {
        clean += text.slice(copied, at) + redacted
        copied = at + length
      }
      at += length || 1
    }
    return copied === 0 ? text : clean + text.slice(copied)
  }

  /** Returns the length of the token at an index; 0 for none. */
  #lengthAt(text: string, at: number): number {
    const bucket: Bucket | undefined = this.#buckets.get(text.slice(at, at + minTokenLength))
    for (const [length, forms] of bucket ?? []) if (forms.has(text.slice(at, at + length))) return length
    return 0
  }

  /** Returns true where the first and the last characters of a text are in tokens. */
  hasParts(text: string): boolean {
    this.#parts ??= new Set(this.#tokens.flatMap(listTokenForms).flatMap(listParts))
    return this.#parts.has(text.slice(0, partLength)) && this.#parts.has(text.slice(-partLength))
  }
}

const digestAt = (text: string, at: number) => ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & 0xff_ff

/** The length of the parts of tokens by which a cut one is recognised, characters. */
const partLength = 4

function listParts(token: string): string[] {
  return Array.from({ length: token.length - partLength + 1 }, (_, at) => token.slice(at, at + partLength))
}
