import { isObject, type Json } from '../../base/core/json.ts'

/** Returns the path of a server URL, its variables replaced by their defaults: `/v1`; undefined if it is not usable. */
export function readServerPath(server: Json | undefined): string | undefined {
  if (!isObject(server) || typeof server.url !== 'string') return undefined
  const variables = isObject(server.variables) ? server.variables : {}
  const url = server.url.replace(/\{([^{}]*)\}/g, (all, name: string) => {
    const variable = variables[name]
    return isObject(variable) && variable.default !== undefined ? String(variable.default) : all
  })
  // A server URL may be relative; the origin is not used.
  if (/[{}]/.test(url) || !URL.canParse(url, 'http://localhost')) return undefined
  return new URL(url, 'http://localhost').pathname.replace(/(?<!\/)\/+$/, '')
}

/** Returns the path of the first server of the first list that has one; empty for the root, OpenAPI's default. */
export function readBasePath(...lists: readonly (Json | undefined)[]): string {
  const servers = lists.find((list) => Array.isArray(list) && list.length > 0)
  return readServerPath(Array.isArray(servers) ? servers[0] : undefined) ?? ''
}
