import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { describeKnown } from '../../base/core/similar.ts'
import type { AskControl, ControlCall, ControlResponse } from './ask.ts'

/** A tool for coding agents: a thin call of the control plane with a short response. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** The parameters of the control plane that it takes, by operation; and it takes the bodies of these operations. */
  readonly input: Readonly<Record<string, string>>
  /** The schemas of its other arguments by their names. */
  readonly ownInput?: Readonly<Record<string, JsonObject>>
  /** Returns the response of a simulator at `origin`, whose service has the base path. Throws a `ToolError`. */
  readonly run: (
    args: JsonObject,
    simulator: { readonly ask: AskControl; readonly origin: string; readonly basePath: string },
  ) => Promise<Json>
}

/** A call that failed: its message says what to do next. */
export class ToolError extends Error {}

/** The most items of a list that a tool responses with. */
export const pageSize = 20

export const cursorArg = { type: 'integer', minimum: 0, description: 'The field `next` of the page before.' }

/** Asks the control plane, as `readOrThrow` reads it. */
export const askOrThrow = async (ask: AskControl, question: ControlCall, next?: string): Promise<JsonObject> =>
  readOrThrow(await ask(question), next)

/** Returns the JSON of a response. Throws a refusal with `next`, what to do about it; a 417 is no refusal. */
export function readOrThrow({ status, json }: ControlResponse, next = ''): JsonObject {
  if (status < 400 || status === 417) return json
  const advice = status === 401 ? 'convsim mcp takes it as --control-token.' : next
  throw new ToolError(`${json['error'] ?? `The simulator returned ${status}.`} ${advice}`.trim())
}

/** Returns a member that is an object; empty if there is none. */
export const objectOf = (json: JsonObject, name: string): JsonObject => (isObject(json[name]) ? json[name] : {})

/** Returns the objects of a member that is a list; none if there is no such list. */
export function listOf(json: Json | undefined, name: string): readonly JsonObject[] {
  const list = isObject(json) ? json[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Returns the page of a list after `cursor` items, under a name, with the cursor of the next page. */
export function pageOf(name: string, list: readonly Json[], cursor: Json | undefined): JsonObject {
  const start = Number(cursor ?? 0)
  if (!Number.isSafeInteger(start) || start < 0)
    throw new ToolError(`"cursor" is the "next" of the page before, got ${JSON.stringify(cursor)}. Leave it out first.`)
  const end = start + pageSize
  return { [name]: list.slice(start, end), total: list.length, ...(end < list.length && { next: end }) }
}

/** Returns an object without the members that say nothing: undefined, empty lists and empty texts. */
export function compact(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => `${[value]}` !== '')) as JsonObject
}

/** Returns the members of an object that have the names. */
export const pick = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  compact(Object.fromEntries(names.map((name) => [name, object[name]])))

/** Throws if an operation that was asked for is unknown. */
export function refuseOperation(operation: Json | undefined, known: readonly string[]): void {
  if (operation !== undefined && !known.includes(String(operation)))
    throw new ToolError(`There is no operation "${operation}". ${describeKnown(String(operation), known)}`)
}
