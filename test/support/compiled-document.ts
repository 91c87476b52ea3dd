import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts'
import { joinPointer, valueAt } from '../../src/base/core/json-pointer.ts'

/** A documented operation, with the JSON Pointer to it. */
export interface DocumentedOperation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly pointer: string
}

export const readDocument = (file: string): JsonObject => parse(readFileSync(file, 'utf8'))

/** A document that is compiled independently of the simulator, to find bugs in the simulator's own compiler. */
export class CompiledDocument {
  readonly operations: readonly DocumentedOperation[]
  readonly #document: JsonObject
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'iso-8601': true } })

  constructor(document: JsonObject) {
    this.#document = document
    formats.default(this.#ajv)
    this.#ajv.addSchema(document, 'document')
    this.operations = Object.entries(this.objectAt('/paths')).flatMap(([path, item]) =>
      Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) => {
        const operationId = isObject(operation) ? operation['operationId'] : undefined
        if (typeof operationId !== 'string') return []
        return [{ operationId, method: method.toUpperCase(), path, pointer: joinPointer('/paths', path, method) }]
      }),
    )
  }

  at(pointer: string): Json | undefined {
    return valueAt(this.#document, pointer)
  }

  /** Returns the object at a pointer, or an empty object if there is no object. */
  objectAt(pointer: string): JsonObject {
    const value = this.at(pointer)
    return isObject(value) ? value : {}
  }

  /** Returns a validator for the schema at a pointer, if there is a schema. The first call compiles the schema. */
  validatorAt(pointer: string): ValidateFunction | undefined {
    return this.#ajv.getSchema(`document#${encodeURI(pointer)}`)
  }

  /** Returns the pointer to the response for a status or its range (`4XX`), or undefined if neither is documented. */
  findResponse(operationPointer: string, status: number): string | undefined {
    const names = [String(status), `${Math.floor(status / 100)}XX`]
    const pointer = names
      .map((name) => joinPointer(operationPointer, 'responses', name))
      .find((candidate) => this.at(candidate) !== undefined)
    const ref = pointer === undefined ? undefined : this.objectAt(pointer)['$ref']
    return typeof ref === 'string' ? ref.slice(1) : pointer
  }
}
