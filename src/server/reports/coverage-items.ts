import type { Json } from '../../base/core/json.ts'
import { parsePointer } from '../../base/core/json-pointer.ts'
import type { Contract, DescribedParameter, Operation } from '../../service/contract/contract.ts'
import { buildCoverageTree, type CoverageTree, collectHits, type EnumValue } from './coverage-tree.ts'

/** A part of the contract that a client can meet, in a request or, if it has a `status`, in a response. */
export type CoverageItem =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'parameter'; readonly in: DescribedParameter['in']; readonly name: string }
  | {
      readonly kind: 'parameter-value'
      readonly in: DescribedParameter['in']
      readonly name: string
      readonly value: EnumValue
    }
  | { readonly kind: 'field'; readonly pointer: string }
  | { readonly kind: 'field-value'; readonly pointer: string; readonly value: EnumValue }
  | { readonly kind: 'response-value'; readonly status: number; readonly pointer: string; readonly value: EnumValue }
  | { readonly kind: 'null' | 'not-null'; readonly status: number; readonly pointer: string }

export interface ParameterItems {
  readonly in: DescribedParameter['in']
  readonly name: string
  readonly isDeepObject: boolean
  readonly index: number
  /** The indexes of the listed values, by the text that is sent. */
  readonly values: ReadonlyMap<string, number>
  /** True where one text can carry several values. */
  readonly isList: boolean
}

/** All items of one operation. An index is a position in `items`. */
export interface OperationItems {
  readonly operation: Operation
  readonly items: readonly CoverageItem[]
  readonly statuses: ReadonlyMap<number, number>
  readonly parameters: readonly ParameterItems[]
  readonly body: CoverageTree | undefined
  /** Returns the indexes of the items that a response's body shows. Fast for a body that was read before. */
  hitsOf(status: number, body: Json | undefined): Iterable<number>
}

/** Lists the items of every operation. It walks all schemas, which takes 3 ms. */
export function listCoverageItems({ operations }: Pick<Contract, 'operations'>): OperationItems[] {
  return operations.map(listOperationItems)
}

function listOperationItems(operation: Operation): OperationItems {
  const items: CoverageItem[] = []
  const add = (item: CoverageItem) => items.push(item) - 1
  const statuses = new Map(operation.statuses.map((status) => [status, add({ kind: 'status', status })]))
  const parameters = operation.parameters.map((parameter) => addParameter(parameter, add))
  const schema = operation.bodySchema()
  const body =
    schema &&
    buildCoverageTree(schema, {
      present: (pointer) => add({ kind: 'field', pointer }),
      value: (pointer, value) => add({ kind: 'field-value', pointer, value }),
    })
  const readers = new Map(operation.statuses.map((status) => [status, createHitReader(operation, status, add)]))
  return {
    operation,
    items,
    statuses,
    parameters,
    body,
    hitsOf(status, response) {
      const readHits = readers.get(status)
      return readHits === undefined || response === undefined ? [] : readHits(response)
    },
  }
}

type AddItem = (item: CoverageItem) => number

function addParameter(parameter: DescribedParameter, add: AddItem): ParameterItems {
  const { in: place, name, isDeepObject, schema } = parameter
  const index = add({ kind: 'parameter', in: place, name })
  const values = new Map<string, number>()
  buildCoverageTree(
    { type: 'array', items: schema },
    {
      value(_, value) {
        const valueIndex = add({ kind: 'parameter-value', in: place, name, value })
        values.set(String(value), valueIndex)
        return valueIndex
      },
    },
  )
  return { in: place, name, isDeepObject, index, values, isList: [schema['type']].flat().includes('array') }
}

/** Creates the function that reads the hits of a body. It walks each object once: cached responses are one. */
function createHitReader(operation: Operation, status: number, add: AddItem) {
  const schema = operation.responseSchema(status)
  const tree =
    schema &&
    buildCoverageTree(schema, {
      nullity: (kind, pointer) => add({ kind, status, pointer }),
      value: (pointer, value) => add({ kind: 'response-value', status, pointer, value }),
    })
  if (!tree) return undefined
  const cache = new WeakMap<object, readonly number[]>()
  return (body: Json): readonly number[] => {
    const owner = typeof body === 'object' && body !== null ? body : {}
    const cached = cache.get(owner)
    if (cached) return cached
    const hits = new Set<number>()
    collectHits(tree, body, (index) => hits.add(index))
    const indexes = [...hits]
    cache.set(owner, indexes)
    return indexes
  }
}

/** Writes the pointer of an item as scenarios do, without the stars of arrays: `dataPoints.avgSafetyScore`. */
export function fieldName(pointer: string): string {
  return parsePointer(pointer)
    .filter((token) => token !== '' && token !== '*')
    .join('.')
}
