/** The security schemes in a document, and the credentials that they require. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { resolve } from './resolve.ts'

export interface Credential {
  readonly in: 'header' | 'query' | 'cookie'
  /** The name of the header, query parameter or cookie; `Authorization` for HTTP schemes. */
  readonly name: string
  /** The scheme in `Authorization`, such as `Bearer`; undefined for an API key. */
  readonly scheme: string | undefined
}

/** Alternative lists of credentials; a request needs all the credentials in one of the lists. */
type Security = readonly (readonly Credential[])[]

const schemesPointer = '/components/securitySchemes'

export const schemePointer = (name: string) => joinPointer(schemesPointer, name)

/** Returns the alternatives in `security`. Client certificates and unknown schemes are not checked. */
export function readSecurity(document: JsonObject, security: Json | undefined): Security {
  const alternatives = Array.isArray(security) ? security.filter(isObject) : []
  return alternatives.map((schemes) => Object.keys(schemes).flatMap((name) => readScheme(document, name) ?? []))
}

/** Returns the credential for a scheme; undefined if the simulator checks no credentials for the scheme. */
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

export function listApiKeyNames(document: JsonObject, locations: readonly Credential['in'][]): readonly string[] {
  const credentials = Object.keys(valueAt(document, schemesPointer) ?? {}).map((id) => readScheme(document, id))
  return credentials.flatMap((key) => (key && !key.scheme && locations.includes(key.in) ? key.name : []))
}

/** Returns the lower-case names of headers, query parameters and cookies that hold API keys, except `authorization`. */
export function listHiddenNames(document: JsonObject): readonly string[] {
  const names = listApiKeyNames(document, ['header', 'query', 'cookie']).map((name) => name.toLowerCase())
  return names.filter((name) => name !== 'authorization') // redacted separately
}

/** Returns the alternatives that require credentials; if there are none, a bearer token as the only alternative. */
function listRequirements(security: Security): Security {
  const requirements = security.filter((credentials) => credentials.length > 0)
  return requirements.length > 0 ? requirements : [[authorization('bearer')]]
}

/** Describes the credentials to send: `your API key as "X-Key: <API_KEY>", or as "?key=<API_KEY>"`. */
export function describeSecurity(security: Security): string {
  const requirements = listRequirements(security)
  const isApiKey = requirements.flat().every(({ scheme = 'Bearer' }) => scheme === 'Bearer')
  const alternatives = requirements.map((credentials) => credentials.map(describeCredential).join(' and '))
  return `your ${isApiKey ? 'API key' : 'credentials'} as ${alternatives.join(', or as ')}`
}

function describeCredential({ in: location, name, scheme }: Credential): string {
  if (scheme !== undefined) return `"Authorization: ${scheme} <${scheme === 'Bearer' ? 'API_KEY' : 'CREDENTIALS'}>"`
  return `"${{ header: `${name}: `, query: `?${name}=`, cookie: `Cookie: ${name}=` }[location]}<API_KEY>"`
}

/** Returns the challenges for a 401 response. HTTP does not define a challenge for API keys; `APIKey` is common. */
export function formatChallenges(security: Security): string {
  const schemes = new Set(listRequirements(security).flatMap((list) => list.map(({ scheme = 'APIKey' }) => scheme)))
  return [...schemes].map((name) => (['APIKey', 'Bearer'].includes(name) ? name : `${name} realm="api"`)).join(', ')
}
