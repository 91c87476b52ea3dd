import type { Contract, DescribedParameter, Operation } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { type CoverageTree, collectHits, coverageTree, type Listed, type Numbering } from './coverage-tree.ts'

/**
 * One thing of the contract that a client can meet. Of a request: a parameter, a field of the body, or a value of one that
 * lists its values. Of an answer: a status, a value of a field that lists its values, and whether a field that may be null is.
 */
export type CoverageItem =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'parameter'; readonly in: DescribedParameter['in']; readonly name: string }
  | {
      readonly kind: 'parameter-value'
      readonly in: DescribedParameter['in']
      readonly name: string
      readonly value: Listed
    }
  | { readonly kind: 'field'; readonly pointer: string }
  | { readonly kind: 'field-value'; readonly pointer: string; readonly value: Listed }
  | {
      readonly kind: 'answer-value'
      readonly status: number
      readonly pointer: string
      readonly value: Listed
    }
  | { readonly kind: 'null' | 'not-null'; readonly status: number; readonly pointer: string }

/** A parameter with the numbers of its points. */
export interface CountedParameter {
  readonly in: DescribedParameter['in']
  readonly name: string
  readonly number: number
  /** By the text that is sent. */
  readonly values: ReadonlyMap<string, number>
  /** Whether several values can be sent in one text. */
  readonly isList: boolean
}

/** Everything that can be met of one operation. */
export interface OperationItems {
  readonly operation: Operation
  /** The numbers are the indices here. */
  readonly items: readonly CoverageItem[]
  readonly statuses: ReadonlyMap<number, number>
  readonly parameters: readonly CountedParameter[]
  readonly body: CoverageTree | undefined
  /** The numbers that the body of an answer shows; without those of the status. Cheap for a body seen before. */
  shownBy(status: number, body: Json | undefined): Iterable<number>
}

/** Walks all schemas of the contract once, at start. */
export function coverageItems({ operations }: Pick<Contract, 'operations'>): OperationItems[] {
  return operations.map(itemsOfOperation)
}

function itemsOfOperation(operation: Operation): OperationItems {
  const items: CoverageItem[] = []
  const add = (point: CoverageItem) => items.push(point) - 1
  const statuses = new Map(operation.statuses.map((status) => [status, add({ kind: 'status', status })]))
  const parameters = operation.parameters.map((parameter) => countParameter(parameter, add))
  const schema = operation.bodySchema()
  const body = schema && coverageTree(schema, numberRequest(add))
  const answers = new Map(operation.statuses.map((status) => [status, answerShape(operation, status, add)]))
  return {
    operation,
    items,
    statuses,
    parameters,
    body,
    shownBy(status, answer) {
      const shown = answers.get(status)
      return shown === undefined || answer === undefined ? [] : shown(answer)
    },
  }
}

type Add = (point: CoverageItem) => number

function countParameter({ in: place, name, schema }: DescribedParameter, add: Add): CountedParameter {
  const number = add({ kind: 'parameter', in: place, name })
  const values = new Map<string, number>()
  coverageTree({ type: 'array', items: schema }, (countable) => {
    if (countable.kind !== 'value') return undefined
    const point = add({ kind: 'parameter-value', in: place, name, value: countable.value })
    values.set(String(countable.value), point)
    return point
  })
  return { in: place, name, number, values, isList: [schema['type']].flat().includes('array') }
}

function numberRequest(add: Add): Numbering {
  return (countable) => {
    const { kind, pointer } = countable
    if (kind === 'present') return add({ kind: 'field', pointer })
    return kind === 'value' ? add({ kind: 'field-value', pointer, value: countable.value }) : undefined
  }
}

function numberAnswer(status: number, add: Add): Numbering {
  return (countable) => {
    const { kind, pointer } = countable
    if (kind === 'present') return undefined
    return kind === 'value'
      ? add({ kind: 'answer-value', status, pointer, value: countable.value })
      : add({ kind, status, pointer })
  }
}

/** Answers are mostly the same objects again (cached figures, examples): each is walked once. */
function answerShape(operation: Operation, status: number, add: Add) {
  const schema = operation.responseSchema(status)
  const shape = schema && coverageTree(schema, numberAnswer(status, add))
  if (!shape) return undefined
  const known = new WeakMap<object, readonly number[]>()
  return (body: Json): readonly number[] => {
    const before = typeof body === 'object' && body !== null ? known.get(body) : undefined
    if (before) return before
    const shown = new Set<number>()
    collectHits(shape, body, (number) => shown.add(number))
    const numbers = [...shown]
    if (typeof body === 'object' && body !== null) known.set(body, numbers)
    return numbers
  }
}
