/**
 * `service/contract/`: turns an OpenAPI document into operations, matches requests to them, and checks requests against
 * them. `loadContract` turns a file into a `Contract`; `Contract.match` finds the operation for a request.
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
      readonly pathParameters: Readonly<Record<string, string>>
    }
  /** `path` is the path template; `allowed` lists the methods of that path in upper case. */
  | { readonly kind: 'wrong-method'; readonly path: string; readonly allowed: readonly string[] }
  /** The path is not under any base path. `isBaseMissing` is true if the path matches with `basePath` prepended. */
  | { readonly kind: 'outside-base'; readonly isBaseMissing: boolean }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'malformed'; readonly reason: string }

export interface Assumption {
  readonly pointer: string
  readonly text: string
}

export interface Contract {
  readonly file: string
  readonly title: string
  readonly version: string
  /** The path of the first server URL, without a trailing slash, such as `/v1`; empty for the root. */
  readonly basePath: string
  readonly operations: readonly Operation[]
  readonly assumptions: readonly Assumption[]
  /** Findings that do not prevent loading: notes and warnings, such as a warning about `nullable: true` in 3.1. */
  readonly warnings: readonly Finding[]
  readonly locate: (pointer: string) => string
  /** The document after `normalizeSchemas`; its references are not resolved. */
  readonly document: JsonObject
  /** Finds the operation for a method and a path as sent, without the query. HEAD does not match a GET operation. */
  match(method: string, path: string): OperationMatch
}
