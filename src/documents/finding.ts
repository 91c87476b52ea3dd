/** Something about a source file that its author should know. */
export interface Finding {
  readonly severity: 'error' | 'warning'
  /** `spec/openapi.yaml:12:5`, or the file's name alone where no line is to be had. */
  readonly place: string
  readonly message: string
}

/** All that is wrong with a file, or odd about it, in the order of its lines. */
export type Findings = readonly Finding[]
