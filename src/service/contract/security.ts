/** The security schemes of a document, and the credentials that they require. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { resolve } from './resolve.ts'

export interface Credential {
  readonly in: 'header' | 'query' | 'cookie'
  /** The name in the document; `Authorization` for HTTP schemes. */
  readonly name: string
  /** The scheme in `Authorization`, such as `Bearer`; undefined for an API key. */
  readonly scheme: string | undefined
}

/** The alternatives, each with the credentials that it requires. */
type Security = readonly (readonly Credential[])[]

const schemesPointer = '/components/securitySchemes'

export const schemePointer = (name: string) => joinPointer(schemesPointer, name)

/** Returns the alternatives of `security`. Certificates and undefined schemes do not require credentials. */
export function readSecurity(document: JsonObject, security: Json | undefined): Security {
  const alternatives = Array.isArray(security) ? security.filter(isObject) : []
  return alternatives.map((one) => Object.keys(one).flatMap((name) => readScheme(document, name) ?? []))
}

/** Returns the credential of a scheme, or undefined if none is checked. */
function readScheme(document: JsonObject, id: string): Credential | undefined {
  const { type, scheme, in: location, name } = resolve(document, schemePointer(id))?.value ?? {}
  if (type === 'apiKey' && (location === 'header' || location === 'query' || location === 'cookie'))
    return { in: location, name: String(name), scheme: undefined }
  if (type === 'http') return authorization(String(scheme))
  return type === 'oauth2' || type === 'openIdConnect' ? authorization('bearer') : undefined
}

const authorization = (scheme: string): Credential => ({
  in: 'header',
  name: 'Authorization',
  scheme: scheme.slice(0, 1).toUpperCase() + scheme.slice(1).toLowerCase(),
})

export function listKeys(document: JsonObject, locations: readonly Credential['in'][]): readonly string[] {
  const credentials = Object.keys(valueAt(document, schemesPointer) ?? {}).map((id) => readScheme(document, id))
  return credentials.flatMap((one) => (one && !one.scheme && locations.includes(one.in) ? one.name : []))
}

/** Returns the lower-case names of headers, query parameters and cookies with an API key, except `authorization`. */
export function listHiddenNames(document: JsonObject): readonly string[] {
  const names = listKeys(document, ['header', 'query', 'cookie']).map((name) => name.toLowerCase())
  return names.filter((name) => name !== 'authorization') // redacted separately, except its scheme and sandbox
}

/** Returns the alternatives that require a credential; a bearer token if there are none. */
function listDemands(security: Security): Security {
  const demands = security.filter((credentials) => credentials.length > 0)
  return demands.length > 0 ? demands : [[authorization('bearer')]]
}

/** Describes the credentials to send: `your API key as "X-Key: <API_KEY>", or as "?key=<API_KEY>"`. */
export function describeSecurity(security: Security): string {
  const demands = listDemands(security)
  const isKey = demands.flat().every(({ scheme = 'Bearer' }) => scheme === 'Bearer')
  const alternatives = demands.map((credentials) => credentials.map(describeCredential).join(' and '))
  return `your ${isKey ? 'API key' : 'credentials'} as ${alternatives.join(', or as ')}`
}

function describeCredential({ in: location, name, scheme }: Credential): string {
  if (scheme !== undefined) return `"Authorization: ${scheme} <${scheme === 'Bearer' ? 'API_KEY' : 'CREDENTIALS'}>"`
  return `"${{ header: `${name}: `, query: `?${name}=`, cookie: `Cookie: ${name}=` }[location]}<API_KEY>"`
}

/** Returns the challenges of a 401. HTTP does not define one for API keys; `APIKey` is common. */
export function listChallenges(security: Security): string {
  const schemes = new Set(listDemands(security).flatMap((one) => one.map(({ scheme = 'APIKey' }) => scheme)))
  return [...schemes].map((one) => (['APIKey', 'Bearer'].includes(one) ? one : `${one} realm="api"`)).join(', ')
}
