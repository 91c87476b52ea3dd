import type { Json } from '../../base/core/json.ts'
import { parsePointer } from '../../base/core/json-pointer.ts'
import type { DescribedParameter, Operation, RawParameters } from '../../service/contract/contract.ts'
import { isMemberOf } from '../../service/contract/parameters.ts'
import type { LiveExchange } from '../journal/entry.ts'
import { BodyReader, type EnumValue } from './coverage-schema.ts'

/** A part of the contract that a client can meet, in a request or, if it has a `status`, in a response. */
export interface CoverageItem {
  /** The name for people: `429`, `query period=7d`, `body valueType: currency`, `recommendations: null`. */
  readonly label: string
  readonly kind:
    | 'status'
    | 'parameter'
    | 'parameter-value'
    | 'field'
    | 'field-value'
    | 'response-value'
    | 'null'
    | 'not-null'
  readonly status?: number
  readonly in?: DescribedParameter['in']
  readonly name?: string
  readonly pointer?: string
  readonly value?: EnumValue
}

export class OperationItems {
  readonly operation: Operation
  /** The items by their keys, in the order of the contract. */
  readonly items = new Map<string, CoverageItem>()
  readonly #body: BodyReader
  readonly #responses: ReadonlyMap<number, BodyReader>

  constructor(operation: Operation) {
    this.operation = operation
    for (const status of operation.statuses) this.#add({ label: String(status), kind: 'status', status })
    for (const parameter of operation.parameters) this.#addParameter(parameter)
    this.#body = this.#addBody()
    this.#responses = new Map(operation.statuses.map((status) => [status, this.#addResponse(status)]))
  }

  #add(item: CoverageItem, key = item.label): void {
    this.items.set(key, item)
  }

  #addParameter({ in: place, name, schema }: DescribedParameter): void {
    const label = `${place} ${name}`
    this.#add({ label, kind: 'parameter', in: place, name })
    for (const { value = '' } of new BodyReader(label, schema, ['value']).items.values())
      this.#add({ label: `${label}=${value}`, kind: 'parameter-value', in: place, name, value })
  }

  #addBody(): BodyReader {
    const reader = new BodyReader('body', this.operation.bodySchema(), ['field', 'value'])
    for (const [key, { pointer, value }] of reader.items) {
      const label = `body ${fieldName(pointer)}`
      if (value === undefined) this.#add({ label, kind: 'field', pointer }, key)
      else this.#add({ label: `${label}: ${value}`, kind: 'field-value', pointer, value }, key)
    }
    return reader
  }

  #addResponse(status: number): BodyReader {
    const reader = new BodyReader(`${status}`, this.operation.responseSchema(status), ['null', 'not-null', 'value'])
    for (const [key, { kind: part, ...place }] of reader.items) {
      const label = `${fieldName(place.pointer)}: ${place.value ?? part.replace('-', ' ')}`
      this.#add({ label, kind: part === 'value' ? 'response-value' : part, status, ...place }, key)
    }
    return reader
  }

  /** Returns the keys of the items that an accepted request shows. */
  readRequest({ rawParameters, requestBody }: LiveExchange): string[] {
    const keys = requestBody === undefined ? [] : this.#body.read(requestBody)
    for (const parameter of this.operation.parameters) {
      const sent = findSent(parameter, rawParameters[parameter.in])
      if (sent === undefined) continue
      const label = `${parameter.in} ${parameter.name}`
      const ofValues = listValues(sent, parameter).map((text) => `${label}=${text}`)
      keys.push(label, ...ofValues.filter((key) => this.items.has(key)))
    }
    return keys
  }

  readResponse(status: number, body: Json | undefined): string[] {
    const reader = this.#responses.get(status)
    return reader ? [String(status), ...reader.read(body)] : []
  }
}

/** Returns what was sent of a parameter: no text of a `deepObject`; undefined if it was not sent. */
function findSent(
  { name, isDeepObject }: DescribedParameter,
  group: RawParameters[DescribedParameter['in']],
): string | readonly string[] | undefined {
  if (Object.hasOwn(group, name)) return group[name]
  return isDeepObject && Object.keys(group).some((key) => isMemberOf(name, key)) ? [] : undefined
}

/** Lists what was sent of a parameter. One text can carry several values of an array. */
function listValues(sent: string | readonly string[], { schema }: DescribedParameter): readonly string[] {
  const isList = [schema['type']].flat().includes('array')
  return [sent].flat().flatMap((text) => (isList ? text.split(/[,|\s]/) : text))
}

/** Writes the pointer of an item as scenarios do, without the stars of arrays: `dataPoints.avgSafetyScore`. */
export function fieldName(pointer: string): string {
  return parsePointer(pointer)
    .filter((token) => token !== '' && token !== '*')
    .join('.')
}
