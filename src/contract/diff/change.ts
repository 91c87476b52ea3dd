/** Says whether a change breaks clients: it does; it does for some, such as those that know all values; it does not. */
export type ChangeLevel = 'breaking' | 'risky' | 'compatible'

/** The way of the values that a part of the contract describes: from the client to the service, or back. */
export type Direction = 'request' | 'response'

/** The effect of a change on the values that a part allows: fewer, more, or neither can be said. */
export type ChangeEffect = 'narrower' | 'wider' | 'unknown'

/** A change between two contracts. */
export interface ContractChange {
  readonly level: ChangeLevel
  /** The kind of the change: `field-removed`. */
  readonly kind: ChangeKind
  /** The ids of the operations that the change concerns; empty for the whole contract. */
  readonly operations: readonly string[]
  /** A sentence that begins with its subject: `the answer 200 /name is no longer sent`. */
  readonly message: string
  /** The JSON pointer in the old document; undefined for something new. */
  readonly old: string | undefined
  /** The JSON pointer in the new document; undefined for something that is gone. */
  readonly new: string | undefined
}

/** The kinds of changes. */
export type ChangeKind =
  | 'base-path-changed'
  | 'operation-removed'
  | 'operation-added'
  | 'operation-renamed'
  | 'operation-deprecated'
  | 'security-changed'
  | 'parameter-removed'
  | 'parameter-added'
  | 'parameter-required'
  | 'parameter-optional'
  | 'parameter-style-changed'
  | 'body-removed'
  | 'body-added'
  | 'body-required'
  | 'body-optional'
  | 'media-type-removed'
  | 'media-type-added'
  | 'status-removed'
  | 'status-added'
  | 'header-removed'
  | 'header-added'
  | 'header-required'
  | 'header-optional'
  | 'field-removed'
  | 'field-added'
  | 'field-required'
  | 'field-optional'
  | 'further-fields-changed'
  | 'type-changed'
  | 'null-added'
  | 'null-removed'
  | 'enum-value-added'
  | 'enum-value-removed'
  | 'format-changed'
  | 'pattern-changed'
  | 'bound-changed'
  | 'default-changed'
  | 'variant-removed'
  | 'variant-added'
  | 'not-compared'

/** Returns the level of a change: a request must stay allowed, and an answer must stay within what the client was told. */
export function judgeEffect(effect: ChangeEffect, direction: Direction): ChangeLevel {
  if (effect === 'unknown') return 'risky'
  return (effect === 'narrower') === (direction === 'request') ? 'breaking' : 'compatible'
}

/** The changes that were found so far. The same change of a schema that several operations share is one, with all of them. */
export class ChangeList {
  readonly #byKey = new Map<string, ContractChange & { readonly operations: string[] }>()

  add({ operation, ...change }: Omit<ContractChange, 'operations'> & { readonly operation?: string }): void {
    const { kind, level, message, old } = change
    const key = JSON.stringify([kind, level, message, old, change.new])
    const known = this.#byKey.get(key) ?? { ...change, operations: [] }
    this.#byKey.set(key, known)
    if (operation !== undefined && !known.operations.includes(operation)) known.operations.push(operation)
  }

  list(): readonly ContractChange[] {
    return [...this.#byKey.values()]
  }
}
