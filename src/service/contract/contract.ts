/**
 * An OpenAPI document as operations that can be matched and checked. `loadContract` turns a file into a `Contract`;
 * `Contract.match` finds the operation of a request.
 */
import type { JsonObject } from '../../base/core/json.ts'
import type { Finding } from '../../base/documents/source.ts'
import type { Operation } from './operation.ts'

export type { Operation } from './operation.ts'
export type { DescribedParameter, ParameterValues, RawParameters } from './parameters.ts'
export type { Credential } from './security.ts'

export type OperationMatch =
  | {
      readonly kind: 'operation'
      readonly operation: Operation
      readonly path: Readonly<Record<string, string>>
    }
  /** The `path` is the path template; `allowed` lists its methods in upper case. */
  | { readonly kind: 'wrong-method'; readonly path: string; readonly allowed: readonly string[] }
  /** The path is not under the base path; `isBaseMissing` is true if it would match with the base path prepended. */
  | { readonly kind: 'outside-base'; readonly isBaseMissing: boolean }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'malformed'; readonly reason: string }

export interface Assumption {
  readonly pointer: string
  readonly text: string
}

export interface Contract {
  readonly file: string
  /** The files read for the document: `file`, and those that it references. */
  readonly files: readonly string[]
  readonly title: string
  readonly version: string
  /** The path of the first server URL without a trailing slash: `/v1`; empty for the root. */
  readonly basePath: string
  readonly operations: readonly Operation[]
  readonly assumptions: readonly Assumption[]
  /** Findings that do not prevent loading: warnings, such as `nullable: true` in a 3.1 document, and information. */
  readonly warnings: readonly Finding[]
  readonly place: (pointer: string) => string
  /** The document after `normaliseSchemas`; its references are not resolved. */
  readonly document: JsonObject
  /** Finds the operation of a request by its path as sent, without the query. A HEAD request does not match GET. */
  match(method: string, path: string): OperationMatch
}
