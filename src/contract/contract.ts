import type { Json, JsonObject } from '../core/json.ts'
import type { Finding } from '../documents/finding.ts'
import type { Violation } from '../documents/violation.ts'

/** Parameters as they were sent: strings, percent-encoding undone; a repeated query parameter is an array. */
export interface RawParameters {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** Lower-case names. */
  readonly header: Readonly<Record<string, string>>
}

/** Parameters as the schemas type them, defaults filled in. */
export interface ParameterValues {
  readonly path: JsonObject
  readonly query: JsonObject
  readonly header: JsonObject
}

/** What the document says of a parameter. */
export interface DescribedParameter {
  readonly in: 'path' | 'query' | 'header'
  /** As it is sent; lower case for a header. */
  readonly name: string
  readonly required: boolean
  /** With every `$ref` resolved; empty where the document gives none. */
  readonly schema: JsonObject
}

/** An example of the document, by its name there. */
export interface Example {
  readonly name: string
  readonly value: Json
}

/** One operation of the document, compiled: what it takes and what it may answer. */
export interface Operation {
  /** `operationId`; without one `GET /models/{modelId}/analytics`. */
  readonly id: string
  /** Upper case. */
  readonly method: string
  /** The path template as the document writes it, without the server's base path. */
  readonly path: string
  /** `summary` of the document, empty without one. */
  readonly summary: string
  /** True where the document asks for a credential (operation or document level `security`). */
  readonly secured: boolean
  /** The documented success status: the lowest 2xx. */
  readonly successStatus: number
  /** Every documented status that is a number, ascending. */
  readonly statuses: readonly number[]
  /** The request body the document describes; undefined where it describes none. */
  readonly body: { readonly required: boolean; readonly mediaTypes: readonly string[] } | undefined
  /** Those that are read, the path item's first. */
  readonly parameters: readonly DescribedParameter[]

  /** The JSON schema of the request body with every `$ref` resolved; undefined where there is none. */
  bodySchema(): JsonObject | undefined
  /** Types what was sent and names every violation; `values` is to be trusted only where there is none. */
  readParameters(sent: RawParameters): { values: ParameterValues; violations: Violation[] }
  /** Every violation of a request body of this media type (parameters such as charset cut off). */
  checkBody(mediaType: string, body: Json): Violation[]
  /** Every violation of an answer. A status that is not documented (nor covered by `4XX`, `default`) is one violation with keyword `status`. */
  checkResponse(status: number, body: Json): Violation[]
  /** The named JSON examples of a documented status, in the document's order. */
  examples(status: number): readonly Example[]
  /** What the document says of a status; undefined where it is not documented. */
  responseDescription(status: number): string | undefined
  /** The JSON schema of a documented status's body with every `$ref` resolved; undefined where there is none. */
  responseSchema(status: number): JsonObject | undefined
}

/** What a path and method mean under the contract. */
export type OperationMatch =
  | {
      readonly kind: 'operation'
      readonly operation: Operation
      readonly path: Readonly<Record<string, string>>
    }
  | { readonly kind: 'wrong-method'; readonly path: string; readonly allowed: readonly string[] }
  /** The path is not under the base path; `meant` is true where it would match with it. */
  | { readonly kind: 'outside-base'; readonly isBaseMissing: boolean }
  | { readonly kind: 'unknown-path' }
  /** Percent-encoding that cannot be undone. */
  | { readonly kind: 'malformed'; readonly reason: string }

/** A place of the document where we decided what the service description leaves open (`x-assumption`). */
export interface Assumption {
  /** JSON pointer of the object that carries it. */
  readonly pointer: string
  readonly text: string
}

/** The document, loaded, checked and compiled once at start. */
export interface Contract {
  /** The file it came from. */
  readonly file: string
  readonly title: string
  readonly version: string
  /** The path of the first server URL without a trailing slash: `/v1`; empty for the root. */
  readonly basePath: string
  readonly operations: readonly Operation[]
  readonly assumptions: readonly Assumption[]
  /** What was put right on the way in, e.g. `nullable: true` in a 3.1 document. Never errors: those stop the load. */
  readonly warnings: readonly Finding[]
  /** The document after normalisation, references kept. */
  readonly document: JsonObject
  /** `path` is as sent: no query, percent-encoding untouched, base path included. HEAD is not GET. */
  match(method: string, path: string): OperationMatch
}
