/** The security schemes of a document. Only those that send a bearer token are checked. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, valueAt } from '../../base/core/json-pointer.ts'
import { resolve } from './resolve.ts'

const schemesPointer = '/components/securitySchemes'

/** Says if each alternative of `security`, or some, has a scheme that sends a bearer token. */
export function readBearerUse(document: JsonObject, security: Json | undefined) {
  const others = listOtherSchemes(document).map(({ name }) => name)
  const alternatives = Array.isArray(security) ? security : []
  const bearer = alternatives.filter((one) => isObject(one) && Object.keys(one).some((name) => !others.includes(name)))
  return { secured: bearer.length > 0 && bearer.length === alternatives.length, takesBearer: bearer.length > 0 }
}

/** Returns the schemes that send no bearer token: keys, basic authentication and certificates. */
export function listOtherSchemes(document: JsonObject) {
  return Object.keys(valueAt(document, schemesPointer) ?? {}).flatMap((name) => {
    const pointer = joinPointer(schemesPointer, name)
    const { type, scheme, ...others } = resolve(document, pointer)?.value ?? {}
    const isKey = type === 'apiKey' && String(others.name).toLowerCase() !== 'authorization' // that is a bearer token
    const isOther = type === 'http' ? String(scheme).toLowerCase() !== 'bearer' : isKey || type === 'mutualTLS'
    return isOther ? [{ name, pointer, key: { in: others.in, name: String(others.name) } }] : []
  })
}

/** Returns the names of all headers and query parameters that have an API key, in lower case. */
export function listHiddenNames(document: JsonObject): readonly string[] {
  const keys = listOtherSchemes(document).filter(({ key }) => key.in === 'header' || key.in === 'query')
  return keys.map(({ key }) => key.name.toLowerCase())
}
