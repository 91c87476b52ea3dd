import type { Json, JsonObject } from './json.ts'

/** The size of a value, or a bound of it. */
export interface JsonSize {
  /** The number of members and items, at all levels together. */
  readonly members: number
  /** The number of levels of objects and arrays: 0 for a text, 1 for `{}`. */
  readonly levels: number
}

type Container = Json[] | JsonObject

const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null

/** Measures a value, however deep it is. */
export function measureJson(root: Json): JsonSize {
  let members = 0
  let levels = 0
  for (let level = [root].filter(isContainer); level.length > 0; levels += 1) {
    members += level.reduce((sum, container) => sum + Object.keys(container).length, 0)
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return { members, levels }
}
