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

/** Refuses unauthorized requests. Identifies callers by an accepted bearer token, or else by another credential. */
export function authenticate({ fixtures, settings }: PipelineDeps): RequestStage<MatchedExchange> {
  const magicKeys = new Map(fixtures.keys.map((key) => [key.token, key]))
  const findIntended = memoizeLast((token: string) => findSimilar(token, magicKeys.keys()))
  return function authenticate(exchange) {
    const { operation, bearer } = exchange
    const found = findCredentials(exchange)
    if (!found) return refusals.unauthorized(operation, describeMissing(exchange))
    const token = bearer.ok && found.some((text) => text.includes(bearer.token)) ? bearer.token : found[0]
    if (token === undefined) return undefined
    const key = magicKeys.get(token)
    exchange.caller = { token, plan: key?.plan ?? settings.plan }
    return key ? undefined : checkKey(exchange, token, findIntended, settings.strict)
  }
}

/** Returns the credentials for all satisfied security requirements; undefined if there are only unsatisfied ones. */
export function findCredentials(exchange: MatchedExchange): readonly string[] | undefined {
  const { security } = exchange.operation
  const found: string[] = []
  let isSatisfied = security.length === 0
  for (const credentials of security) {
    const texts = credentials.map((each) => readCredential(each, exchange)).filter((text) => text !== undefined)
    if (texts.length < credentials.length) continue
    isSatisfied = true
    found.push(...texts)
  }
  return isSatisfied ? found : undefined
}

function readCredential(credential: Credential, exchange: Exchange): string | undefined {
  const { bearer } = exchange
  if (credential.scheme === 'Bearer') return bearer.ok ? bearer.token : undefined
  const [text] = [findText(credential, exchange)].flat()
  if (credential.scheme === undefined) return text?.trim() || undefined
  const [, scheme = '', rest] = /^\s*(\S+)\s+(\S.*)$/s.exec(text ?? '') ?? []
  return scheme.toLowerCase() === credential.scheme.toLowerCase() ? rest : undefined
}

function findText({ in: location, name }: Credential, exchange: Exchange) {
  const { query, header } = rawParametersOf(exchange)
  if (location === 'header') return header[name.toLowerCase()]
  return location === 'query' ? query[name] : readCookies(header)[name]
}

function describeMissing({ operation: { security }, bearer }: MatchedExchange): string {
  const [first] = security.flat()
  if (first?.scheme === 'Bearer' && !bearer.ok) return bearer.problem
  return `The ${first?.scheme === undefined ? 'API key is' : 'credentials are'} missing.`
}

/** Adds advice for a token that resembles a magic key or is probably not a key. With `strict`, refuses the latter. */
function checkKey(
  exchange: MatchedExchange,
  token: string,
  findIntended: (token: string) => string | undefined,
  strict: boolean,
): Reply | undefined {
  const problem = findKeyProblem(token)
  if (problem === undefined) {
    if (exchange.bearer.ok) adviseKey(exchange, token, findIntended(token))
    return undefined
  }
  if (strict) return refusals.unauthorized(exchange.operation, `The API key ${problem}.`)
  addAdvice(exchange, 'placeholder', problem)
  return undefined
}

function adviseKey(exchange: Exchange, token: string, intended: string | undefined): void {
  // A key that differs only in its digits (customer-1 and customer-2) is probably not a typo.
  if (intended === undefined || withoutDigits(intended) === withoutDigits(token)) return
  const message = `differs slightly from the magic key ${intended}, so it is not a magic key; did you mean that key?`
  addAdvice(exchange, 'magic-key', message)
}

function addAdvice(exchange: Exchange, keyword: string, message: string): void {
  exchange.advice = [...exchange.advice, { in: 'header', pointer: '/authorization', keyword, message }]
}

/** Returns why a value is probably not a key, without quoting the value; undefined if it looks like a key. */
function findKeyProblem(token: string): string | undefined {
  const half = token.slice(0, token.length / 2)
  if (/^(undefined|null|nan|\[object \w+\])$/i.test(token)) return 'is a non-string value converted to text'
  if (/\$\{[^{}]*\}|\{\{[^{}]*\}\}|^<[^<>]*>$/.test(token)) return 'is a placeholder that was not replaced'
  if (half.length >= 6 && half + half === token) return 'contains the same key twice'
  return /\s/.test(token) ? 'contains whitespace' : undefined
}

const withoutDigits = (token: string) => token.replace(/\d/g, '')
