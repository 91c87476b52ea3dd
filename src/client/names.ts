// `npm run generate` writes this file from spec/openapi.yaml, fixtures/ and the scenarios. Edit those.

/** The `operationId`s in the service's document. */
export type OperationId = 'getModelAnalytics' | 'createPrompt' | 'createEvent'

/** The statuses that the service's document lists. */
export type DocumentedStatus = 200 | 201 | 400 | 401 | 403 | 404 | 413 | 415 | 429 | 500 | 503

/** The names of the personas in the bundled fixtures. */
export type PersonaName =
  | 'healthy'
  | 'needs_attention'
  | 'critical'
  | 'improving'
  | 'declining'
  | 'spiky'
  | 'sparse'
  | 'new'
  | 'unrated'
  | 'basic'
  | 'empty'

/** The parameter that every scenario has: the probability (0 to 1) that the scenario is applied to a request. */
export interface AnyScenarioParameters {
  readonly p?: number
}

/** The scenarios by name, with their parameters. Personas are scenarios too. */
export interface ScenarioParameters extends Readonly<Record<PersonaName, AnyScenarioParameters>> {
  readonly 'bad-request': AnyScenarioParameters
  readonly unauthorized: AnyScenarioParameters
  readonly forbidden: AnyScenarioParameters
  readonly 'not-found': AnyScenarioParameters
  readonly 'rate-limited': AnyScenarioParameters & {
    readonly 'retry-after'?: number | 'date' | 'none'
    readonly 'retry-after-ms'?: number | 'none'
    readonly limit?: number
  }
  readonly 'server-error': AnyScenarioParameters
  readonly unavailable: AnyScenarioParameters & {
    readonly 'retry-after'?: number | 'date' | 'none'
    readonly 'retry-after-ms'?: number | 'none'
  }
  readonly 'bad-gateway': AnyScenarioParameters
  readonly 'gateway-timeout': AnyScenarioParameters
  readonly 'too-large': AnyScenarioParameters
  readonly redirect: AnyScenarioParameters & { readonly code?: number; readonly location?: string }
  readonly maintenance: AnyScenarioParameters & { readonly 'retry-after'?: number }
  readonly status: AnyScenarioParameters & { readonly code: number; readonly type?: string; readonly body?: string }
  readonly 'all-null': AnyScenarioParameters
  readonly 'no-null': AnyScenarioParameters
  readonly null: AnyScenarioParameters & { readonly fields: string | readonly string[] }
  readonly 'empty-lists': AnyScenarioParameters & { readonly fields?: string | readonly string[] }
  readonly 'largest-numbers': AnyScenarioParameters & { readonly fields?: string | readonly string[] }
  readonly 'longest-texts': AnyScenarioParameters & { readonly fields?: string | readonly string[] }
  readonly 'strange-texts': AnyScenarioParameters & { readonly fields?: string | readonly string[] }
  readonly slow: AnyScenarioParameters & {
    readonly ms?: number
    readonly distribution?: 'fixed' | 'uniform' | 'lognormal'
    readonly max?: number
    readonly sigma?: number
  }
  readonly dribble: AnyScenarioParameters & { readonly ms?: number; readonly pieces?: number }
  readonly hang: AnyScenarioParameters & { readonly when?: 'before' | 'after' }
  readonly reset: AnyScenarioParameters & { readonly when?: 'before' | 'after' }
  readonly 'empty-response': AnyScenarioParameters & { readonly when?: 'before' | 'after' }
  readonly truncated: AnyScenarioParameters & { readonly keep?: number; readonly when?: 'before' | 'after' }
  readonly 'malformed-json': AnyScenarioParameters & { readonly keep?: number; readonly when?: 'before' | 'after' }
  readonly 'lost-ack': AnyScenarioParameters
  readonly 'drop-field': AnyScenarioParameters & { readonly pointer?: string; readonly seed?: number }
  readonly 'wrong-type': AnyScenarioParameters & { readonly pointer?: string; readonly seed?: number }
  readonly 'null-required': AnyScenarioParameters & { readonly pointer?: string; readonly seed?: number }
  readonly 'unknown-enum': AnyScenarioParameters & { readonly pointer?: string; readonly seed?: number }
  readonly 'extra-field': AnyScenarioParameters & { readonly pointer?: string; readonly seed?: number }
  readonly 'sampled-out': AnyScenarioParameters
  readonly 'expect-violation': AnyScenarioParameters
  readonly 'expect-refusal': AnyScenarioParameters
  readonly '200': AnyScenarioParameters
  readonly '201': AnyScenarioParameters
  readonly '400': AnyScenarioParameters
  readonly '401': AnyScenarioParameters
  readonly '403': AnyScenarioParameters
  readonly '404': AnyScenarioParameters
  readonly '413': AnyScenarioParameters
  readonly '415': AnyScenarioParameters
  readonly '429': AnyScenarioParameters & {
    readonly 'retry-after'?: number | 'date' | 'none'
    readonly 'retry-after-ms'?: number | 'none'
    readonly limit?: number
  }
  readonly '500': AnyScenarioParameters
  readonly '503': AnyScenarioParameters & {
    readonly 'retry-after'?: number | 'date' | 'none'
    readonly 'retry-after-ms'?: number | 'none'
  }
}
