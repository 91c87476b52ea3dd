import type { Json } from '../core/json.ts'

/** Names that the pattern of a credential's name matches, though they stand for none. */
const harmlessNames = new Set(['idempotency-key', 'x-idempotency-key'])

/** The pattern of a credential's name. `auth` matches, but in `author...` only `authorisation` and `authorization`. */
const credentialName =
  /auth(?!or(?!i[sz]))|bearer|cookie|token|secret|passw|passphrase|passcode|jwt|pwd|credential|session|signature/i

/** The pattern of a name with `key` behind a word that makes it a credential. */
const keyName = /(?:api|access|account|secret|private|master|encryption|subscription|functions|signing)[-_ .+]?key/i

/** The pattern of further names of two words. */
const twoWords =
  /amz-security|conn(?:ection)?[-_ .+]?str(?:ing|$)|one[-_ .+]?time[-_ .+]?code|(?:^|[-_ .+[])code[-_ .+]?verifier/i

/**
 * The pattern of a name that ends with a short word for a credential, also in brackets: `login[pass]`; `otp` is the end
 * of no other word.
 */
const lastWord = /(?:^|[-_ .+])(?:key|pass|sig)$|\[pass\]$|otp(?:[-_ .+]?(?:code|number))?\d*\]?$/i

/** The pattern of a name that ends with a PIN: `userPin`, `PIN_CODE`, `pin1`; not `spin`, nor a postal `pincode`. */
const pinName =
  /(?:^|[-_ .+[]|[a-z\d](?=P))(?:[Pp]in|PIN)(?:[-_ .+]?(?:Code|CODE|Number)|[-_ .+](?:code|number))?\d*\]?$/

/** The pattern of a name of another pin: `mapPin`. */
const harmlessPin = /(?:map|drop|hair)[-_ .+[]?pin/i

/** The pattern of a name that counts tokens of a language model: `maxTokens`, `token_count`. */
const countName = /tokens$|tokens?[-_]?count$/i

/** Returns true for a name (of a header, in lower case, a parameter or a member) whose value is redacted. */
export function isCredentialName(name: string): boolean {
  const isCredential =
    credentialName.test(name) ||
    keyName.test(name) ||
    twoWords.test(name) ||
    lastWord.test(name) ||
    (pinName.test(name) && !harmlessPin.test(name))
  return isCredential && !harmlessNames.has(name)
}

/** Returns true if a member's value is redacted, by its name: not `null`, and not a number of tokens. */
export function isHidden(name: string, item: Json): boolean {
  if (item === null || !isCredentialName(name)) return false
  return typeof item !== 'number' || !countName.test(name)
}
