/** The security schemes of a document. Only those that send a bearer token are checked. */
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { resolve } from './resolve.ts'

const schemesPointer = '/components/securitySchemes'

/** Returns true if each alternative of `security` has a scheme that sends a bearer token. */
export function demandsBearer(document: JsonObject, security: Json | undefined): boolean {
  if (!Array.isArray(security) || security.length === 0) return false
  const others = new Set(listOtherSchemes(document).map(({ name }) => name))
  return security.every(
    (requirement) => isObject(requirement) && Object.keys(requirement).some((name) => !others.has(name)),
  )
}

/** Returns the schemes that send no bearer token: keys, basic authentication and certificates. */
export function listOtherSchemes(document: JsonObject) {
  const { components } = document
  const schemes = isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {}
  return Object.keys(schemes).flatMap((name) => {
    const pointer = joinPointer(schemesPointer, name)
    const { type, scheme, ...others } = resolve(document, pointer)?.value ?? {}
    const isOther =
      type === 'http' ? String(scheme).toLowerCase() !== 'bearer' : type === 'apiKey' || type === 'mutualTLS'
    return isOther ? [{ name, pointer, key: { in: others.in, name: others.name } }] : []
  })
}

/** Returns the names, in lower case, of headers and query parameters that have an API key. */
export function listKeyNames(document: JsonObject): readonly string[] {
  return listOtherSchemes(document)
    .filter(({ key }) => key.in === 'header' || key.in === 'query')
    .map(({ key }) => String(key.name).toLowerCase())
    .filter((name) => name !== 'authorization') // redacted in its own way
}
