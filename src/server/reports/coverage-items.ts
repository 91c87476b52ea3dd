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

/** A parameter with the keys of its items, those of its listed values by the text that is sent. */
interface ParameterKeys {
  readonly parameter: DescribedParameter
  readonly key: string
  readonly values: ReadonlyMap<string, string>
  /** True where one text can carry several values. */
  readonly isList: boolean
}

export class OperationItems {
  readonly operation: Operation
  /** The items by their keys, in the order of the contract. */
  readonly items = new Map<string, CoverageItem>()
  readonly #parameters: readonly ParameterKeys[]
  readonly #body: BodyReader
  readonly #responses: ReadonlyMap<number, BodyReader>

  constructor(operation: Operation) {
    this.operation = operation
    for (const status of operation.statuses) this.#add({ label: String(status), kind: 'status', status })
    this.#parameters = operation.parameters.map((parameter) => this.#addParameter(parameter))
    this.#body = this.#addBody()
    this.#responses = new Map(operation.statuses.map((status) => [status, this.#addResponse(status)]))
  }

  #add(item: CoverageItem, key = item.label): void {
    this.items.set(key, item)
  }

  #addParameter(parameter: DescribedParameter): ParameterKeys {
    const { in: place, name, schema } = parameter
    const label = `${place} ${name}`
    this.#add({ label, kind: 'parameter', in: place, name })
    const values = new Map<string, string>()
    for (const { value = '' } of new BodyReader(label, { type: 'array', items: schema }, ['value']).items.values()) {
      values.set(String(value), `${label}=${value}`)
      this.#add({ label: `${label}=${value}`, kind: 'parameter-value', in: place, name, value })
    }
    return { parameter, key: label, values, isList: [schema['type']].flat().includes('array') }
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
    for (const { parameter, key, values, isList } of this.#parameters) {
      const sent = findSent(parameter, rawParameters[parameter.in])
      if (sent === undefined) continue
      keys.push(key)
      for (const text of listValues(sent, isList)) {
        const value = values.get(text)
        if (value !== undefined) keys.push(value)
      }
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
  parameter: DescribedParameter,
  group: RawParameters[DescribedParameter['in']],
): string | readonly string[] | undefined {
  if (Object.hasOwn(group, parameter.name)) return group[parameter.name]
  return Object.keys(group).some((key) => isMemberOf(parameter, key)) ? [] : undefined
}

function listValues(sent: string | readonly string[], isList: boolean): readonly string[] {
  const texts = typeof sent === 'string' ? [sent] : sent
  return isList ? texts.flatMap((text) => text.split(/[,|\s]/)) : texts
}

/** Writes the pointer of an item as scenarios do, without the stars of arrays: `dataPoints.avgSafetyScore`. */
export function fieldName(pointer: string): string {
  return parsePointer(pointer)
    .filter((token) => token !== '' && token !== '*')
    .join('.')
}
