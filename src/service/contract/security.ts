/** The security schemes of a document. Only those that send a bearer token are checked. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { resolve } from './resolve.ts'

const schemesPointer = '/components/securitySchemes'

/** Says if all alternatives of `security` have a scheme that sends a bearer token, some, or none. */
export function readBearerUse(document: JsonObject, security: Json | undefined): 'required' | 'optional' | 'none' {
  if (!Array.isArray(security)) return 'none'
  const others = new Set(listOtherSchemes(document).map(({ name }) => name))
  const sendsBearer = (requirement: Json) =>
    isObject(requirement) && Object.keys(requirement).some((name) => !others.has(name))
  if (!security.some(sendsBearer)) return 'none'
  return security.every(sendsBearer) ? 'required' : 'optional'
}

/** Returns the schemes that send no bearer token: keys, basic authentication and certificates. */
export function listOtherSchemes(document: JsonObject) {
  const { components } = document
  const schemes = isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {}
  return Object.keys(schemes).flatMap((name) => {
    const pointer = joinPointer(schemesPointer, name)
    const { type, scheme, ...others } = resolve(document, pointer)?.value ?? {}
    const isKey = type === 'apiKey' && String(others.name).toLowerCase() !== 'authorization' // that is a bearer token
    const isOther = type === 'http' ? String(scheme).toLowerCase() !== 'bearer' : isKey || type === 'mutualTLS'
    return isOther ? [{ name, pointer, key: { in: others.in, name: others.name } }] : []
  })
}

/** Returns the names of the headers or of the query parameters that have an API key. */
export function listKeyNames(document: JsonObject, location: 'header' | 'query'): readonly string[] {
  return listOtherSchemes(document)
    .filter(({ key }) => key.in === location)
    .map(({ key }) => String(key.name))
}

/** Returns the names of all headers and query parameters that have an API key, in lower case. */
export function listHiddenNames(document: JsonObject): readonly string[] {
  const names = [...listKeyNames(document, 'header'), ...listKeyNames(document, 'query')]
  return names.map((name) => name.toLowerCase())
}
