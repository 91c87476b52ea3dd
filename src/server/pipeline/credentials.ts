import { memoizeLast } from '../../base/core/memoize.ts'
import { findSimilar } from '../../base/core/text.ts'
import type { Credential } from '../../service/contract/contract.ts'
import { readCookies } from '../../service/contract/parameters.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import {
  type Exchange,
  type MatchedExchange,
  type PipelineDeps,
  type RequestStage,
  rawParametersOf,
} from './exchange.ts'

/** Identifies the caller by its bearer token, or else by the first credential that the operation requires. */
export function authenticate({ fixtures, settings }: PipelineDeps): RequestStage<MatchedExchange> {
  const magicKeys = new Map(fixtures.keys.map((key) => [key.token, key]))
  const findMeant = memoizeLast((token: string) => findSimilar(token, magicKeys.keys()))
  return function authenticate(exchange) {
    const { operation, bearer } = exchange
    const found = findCredentials(exchange)
    if (!found) return refusals.unauthorized(operation, describeMissing(exchange))
    const token = bearer.ok && found.some((text) => text.includes(bearer.token)) ? bearer.token : found[0]
    if (token === undefined) return undefined
    const key = magicKeys.get(token)
    exchange.caller = { token, plan: key?.plan ?? settings.plan }
    return key ? undefined : judgeKey(exchange, token, findMeant, settings.strict)
  }
}

/** Returns the credentials of completely sent alternatives; undefined if the operation requires others. */
export function findCredentials(exchange: MatchedExchange): readonly string[] | undefined {
  const { security } = exchange.operation
  const found: string[] = []
  let isComplete = security.length === 0
  for (const credentials of security) {
    const texts = credentials.map((one) => readCredential(one, exchange)).filter((text) => text !== undefined)
    if (texts.length < credentials.length) continue
    isComplete = true
    found.push(...texts)
  }
  return isComplete ? found : undefined
}

function readCredential(credential: Credential, exchange: Exchange): string | undefined {
  const { bearer } = exchange
  if (credential.scheme === 'Bearer') return bearer.ok ? bearer.token : undefined
  const [text] = [findText(credential, exchange)].flat()
  if (credential.scheme === undefined) return text?.trim() || undefined
  const [, scheme = '', rest] = /^\s*(\S+)\s+(\S.*)$/s.exec(text ?? '') ?? []
  return scheme.toLowerCase() === credential.scheme.toLowerCase() ? rest : undefined
}

function findText({ in: place, name }: Credential, exchange: Exchange) {
  const { query, header } = rawParametersOf(exchange)
  if (place === 'header') return header[name.toLowerCase()]
  return place === 'query' ? query[name] : readCookies(header)[name]
}

function describeMissing({ operation: { security }, bearer }: MatchedExchange): string {
  const [first] = security.flat()
  if (first?.scheme === 'Bearer' && !bearer.ok) return bearer.problem
  return `The ${first?.scheme === undefined ? 'API key is' : 'credentials are'} missing.`
}

/** Advises about a value that is probably not a key, or refuses it with `strict`. */
function judgeKey(
  exchange: MatchedExchange,
  token: string,
  findMeant: (token: string) => string | undefined,
  strict: boolean,
): Reply | undefined {
  const problem = describePlaceholder(token)
  if (problem === undefined) {
    if (exchange.bearer.ok) adviseKey(exchange, token, findMeant(token))
    return undefined
  }
  if (strict) return refusals.unauthorized(exchange.operation, `The API key ${problem}.`)
  addAdvice(exchange, 'placeholder', problem)
  return undefined
}

function adviseKey(exchange: Exchange, token: string, meant: string | undefined): void {
  // Keys that differ in a number, such as customer-1 and customer-2, are not typing errors.
  if (meant === undefined || withoutDigits(meant) === withoutDigits(token)) return
  const message = `is a letter away from the magic key ${meant}, and switches on nothing; did you mean that?`
  addAdvice(exchange, 'magic-key', message)
}

function addAdvice(exchange: Exchange, keyword: string, message: string): void {
  exchange.advice = [...exchange.advice, { in: 'header', pointer: '/authorization', keyword, message }]
}

/** Says why a value is probably not a key, without quoting it, if so. */
function describePlaceholder(token: string): string | undefined {
  const half = token.slice(0, token.length / 2)
  if (/^(undefined|null|nan|\[object \w+\])$/i.test(token)) return 'is the text of a missing value'
  if (/\$\{[^{}]*\}|\{\{[^{}]*\}\}|^<[^<>]*>$/.test(token)) return 'is a placeholder that nothing replaced'
  if (half.length >= 6 && half + half === token) return 'is one key twice'
  return /\s/.test(token) ? 'has a space inside' : undefined
}

const withoutDigits = (token: string) => token.replace(/\d/g, '')
