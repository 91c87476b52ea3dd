import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'

/** Returns a server URL's path, with variables set to their defaults or first values; undefined for an unusable URL. */
export function readServerPath(server: Json | undefined): string | undefined {
  if (!isObject(server) || typeof server.url !== 'string') return undefined
  const variables = isObject(server.variables) ? server.variables : {}
  const url = server.url.replace(/\{([^{}]*)\}/g, (all, name: string) => {
    const { default: value, enum: values } = toObject(variables[name])
    return String(value ?? (Array.isArray(values) ? values[0] : undefined) ?? all)
  })
  // A server URL may be relative. The origin is not used, so variables in the origin need no values.
  const path = url.replace(/^([a-z][\w+.-]*:)?\/\/[^/]*\{[^/]*/i, '')
  if (/[{}]/.test(path) || !URL.canParse(path, 'http://localhost')) return undefined
  return new URL(path, 'http://localhost').pathname.replace(/(?<!\/)\/+$/, '')
}

const toObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Returns the path of the first server in the first non-empty list; '' for the root, an unusable URL or no server. */
export function readBasePath(...lists: readonly (Json | undefined)[]): string {
  const servers = lists.find((list) => Array.isArray(list) && list.length > 0)
  return readServerPath(Array.isArray(servers) ? servers[0] : undefined) ?? ''
}
