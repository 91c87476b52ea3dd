/**
 * An OpenAPI document as operations that can be matched and checked.
 * `loadContract` makes a `Contract` of a file; `Contract.match` finds the operation of a request.
 */
import type { Json, JsonObject } from '../../base/core/json.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Finding } from '../../base/documents/finding.ts'

/** The parameters of a request as they were sent: decoded strings; a repeated query parameter is an array. */
export interface RawParameters {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** Lower-case names. */
  readonly header: Readonly<Record<string, string>>
}

/** The parameters of a request, coerced to the types of their schemas, defaults filled in. */
export interface ParameterValues {
  readonly path: JsonObject
  readonly query: JsonObject
  readonly header: JsonObject
}

export interface DescribedParameter {
  readonly in: 'path' | 'query' | 'header'
  /** The sent name; lower case for a header. */
  readonly name: string
  readonly required: boolean
  /** JSON pointer in the document. */
  readonly pointer: string
  /** True for the style `deepObject`: each member is sent as a parameter of its own, such as `filter[min]=3`. */
  readonly isDeepObject: boolean
  /** The schema with every `$ref` resolved; empty if the document has none. */
  readonly schema: JsonObject
  /** Returns true for a name in a query that belongs to it: its own, `filter[min]`, or a property of an object. */
  hasMember(sent: string): boolean
}

export interface Example {
  /** The name in the document; `example` for a single example without a name. */
  readonly name: string
  readonly value: Json
}

/** A credential that an operation demands. */
export interface Credential {
  readonly in: 'header' | 'query' | 'cookie'
  /** The name in the document; `Authorization` for the schemes of HTTP. */
  readonly name: string
  /** The scheme before it in `Authorization`, such as `Bearer`; undefined for an API key, which has none. */
  readonly scheme: string | undefined
}

export interface Operation {
  /** The `operationId`; `GET /models/{modelId}/analytics` if it has none of its own. */
  readonly id: string
  /** Upper case. */
  readonly method: string
  /** The path template of the document, without the base path: `/models/{modelId}/analytics`. */
  readonly path: string
  /** The base path of its servers: those of the operation, else of its path item, else of the document. */
  readonly basePath: string
  /** JSON pointer in the document: `/paths/~1events/post`. */
  readonly pointer: string
  /** The `summary` of the document; empty if it has none. */
  readonly summary: string
  /** The alternatives of its `security`, each with the credentials that it demands. */
  readonly security: readonly (readonly Credential[])[]
  /** The names of the query parameters that have API keys. */
  readonly queryKeys: readonly string[]
  /**
   * The status `success` of `x-simulated-status`, or else the lowest documented 2xx status, 200 for `2XX` or `default`,
   * or the lowest documented status.
   */
  readonly successStatus: number
  /** The status `dropped` of `x-simulated-status`, for an event that sampling drops; else the success status. */
  readonly droppedStatus: number
  /** The documented statuses that are numbers, ascending. */
  readonly statuses: readonly number[]
  /** The documented responses in the document's order: `200`, `4XX`, `default`. */
  readonly responses: readonly string[]
  readonly body: { readonly required: boolean; readonly mediaTypes: readonly string[] } | undefined
  /** The parameters that are read, those of the path item first. Cookies are left out. */
  readonly parameters: readonly DescribedParameter[]

  /** Returns the JSON schema of the request body with every `$ref` resolved; undefined if there is none. */
  bodySchema(): JsonObject | undefined
  /** Returns the named JSON examples of the request body, in the document's order. */
  bodyExamples(): readonly Example[]
  /** Coerces the sent parameters to their types and lists every violation; `values` is reliable only without any. */
  readParameters(sent: RawParameters): { values: ParameterValues; violations: Violation[] }
  /** Returns the value of a body that is not JSON: the object of a form, or else the text itself. */
  readText(mediaType: string, text: string): Json
  /** Returns every violation of a body, of a media type without parameters. Objects are checked in JSON and forms. */
  checkBody(mediaType: string, body: Json): Violation[]
  /** Returns every violation of a response. An undocumented status breaks the keyword `status`. */
  checkResponse(status: number, body: Json): Violation[]
  /** Returns every violation of the simulator's own response, which also keeps the rules of `x-simulated-values`. */
  checkSimulatedResponse(status: number, body: Json): Violation[]
  /** Returns the named JSON examples of a documented status, in the document's order. */
  examples(status: number): readonly Example[]
  hasResponseBody(status: number): boolean
  /** Returns the documented media types of a status, in lower case without parameters, in the document's order. */
  responseMediaTypes(status: number): readonly string[]
  /** Returns the pointer of the response that a status has: its own, else that of its range (`4XX`), else `default`. */
  responsePointer(status: number): string | undefined
  /** Returns the description of a status; undefined if the status is not documented. */
  responseDescription(status: number): string | undefined
  /** Returns the JSON schema of a status's body with every `$ref` resolved; undefined if there is none. */
  responseSchema(status: number): JsonObject | undefined
  /** Returns the schema of `responseSchema` with the narrower rules of `x-simulated-values`. */
  simulatedResponseSchema(status: number): JsonObject | undefined
}

export type OperationMatch =
  | {
      readonly kind: 'operation'
      readonly operation: Operation
      /** The path parameters, decoded. */
      readonly path: Readonly<Record<string, string>>
    }
  /** The `path` is the path template; `allowed` lists its methods in upper case. */
  | { readonly kind: 'wrong-method'; readonly path: string; readonly allowed: readonly string[] }
  /** The path is not under the base path; `isBaseMissing` is true if it matches with the base path in front. */
  | { readonly kind: 'outside-base'; readonly isBaseMissing: boolean }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'malformed'; readonly reason: string }

/** A decision of the simulator's authors where the service description is silent (`x-assumption`). */
export interface Assumption {
  /** JSON pointer of the object that has the member `x-assumption`. */
  readonly pointer: string
  readonly text: string
}

/** A document that is loaded, checked and compiled once, at the start. */
export interface Contract {
  readonly file: string
  /** The files that were read for the document: `file`, and those that its references lead to. */
  readonly files: readonly string[]
  readonly title: string
  readonly version: string
  /** The path of the first server URL without a trailing slash: `/v1`; empty for the root. */
  readonly basePath: string
  readonly operations: readonly Operation[]
  readonly assumptions: readonly Assumption[]
  /** Warnings, e.g. about `nullable: true` in a 3.1 document, and information. An error would have stopped the load. */
  readonly warnings: readonly Finding[]
  /** The document after `normaliseSchemas`; its references are not resolved. */
  readonly document: JsonObject
  /** Finds the operation of a request by its path as sent, without the query. A HEAD request does not match GET. */
  match(method: string, path: string): OperationMatch
}
