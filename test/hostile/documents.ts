import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject, type Json } from '../../src/base/core/json.ts'
import { documentWithData, findFault, startCounter, tryDocument } from '../support/try-document.ts'
import { Trial } from './trial.ts'

const secret = 'content of a file that no response may show'

/** Names of members that documents, schemas and data have. */
const NAMES =
  `$ref $id $schema $anchor $dynamicRef $dynamicAnchor $defs example examples default const enum x-a properties items
  allOf anyOf not patternProperties schema content headers links callbacks components schemas examples parameters
  requestBody responses security discriminator value externalValue constructor a`.split(/\s+/)

/** A document whose every object can be changed. */
const document = () => ({
  ...documentWithData({ schema: { $ref: '#/components/schemas/A' }, examples: { a: { value: { a: 1 } } } }),
  'x-a': { a: {} },
  components: {
    schemas: { A: { properties: { a: { default: {} }, b: { enum: [{}] } } }, B: { items: { allOf: [{ const: {} }] } } },
    examples: { 'x-b': { value: {} } },
    links: { a: { operationId: 'getData', requestBody: {} } },
  },
})

/** Checks and starts with random documents, which must agree, and show no file, ask no address and throw nothing. */
export class DocumentTrial extends Trial {
  readonly #folder = mkdtempSync(join(tmpdir(), 'convsim-hostile-'))
  #counter = { url: '', counted: { requests: 0 }, close: (): unknown => undefined }

  override async start(): Promise<void> {
    writeFileSync(join(this.#folder, 'secret.json'), JSON.stringify({ secret }))
    this.#counter = await startCounter()
  }

  /** Tries some documents. */
  override async run(): Promise<void> {
    for (let count = 0; count < 3; count += 1) await this.#try()
  }

  async #try(): Promise<void> {
    const hostile: Json = document()
    for (let changes = 1 + this.chance() * 4; changes > 0; changes -= 1) this.#change(hostile)
    const [file, text] = [join(this.#folder, 'contract.json'), JSON.stringify(hostile)]
    writeFileSync(file, text)
    const outcome = await tryDocument(file)
    this.numbers.add('documents')
    if (outcome.started.length === 0) this.numbers.add('documents that were served')
    const fault = this.#counter.counted.requests > 0 ? 'an address was asked' : findFault(outcome, secret)
    this.#counter.counted.requests = 0
    if (fault !== undefined) this.numbers.fault(`${fault}: ${text.slice(0, 3000)}`)
  }

  /** Sets a member of a random object: mostly one that is in it already, deep in the document. */
  #change(root: Json): void {
    const objects = listObjects(root)
    const object = this.pick(objects)
    const name = this.chance() < 0.2 ? this.pick(Object.keys(object).concat('a')) : this.pick(NAMES)
    const made = this.#make(this.chance() * 4)
    object[name] = this.chance() < 0.5 && name !== '$ref' && isObject(made) ? { a: made, ...made } : made
  }

  #make(levels: number): Json {
    if (levels > 1 && this.chance() < 0.6) return { [this.pick(NAMES)]: this.#make(levels - 1), a: {} }
    const leads = ['#/components/schemas/A', '#/components/schemas/B', '#/x-a/a', '#/paths/~1data', '#', '#a', 'a']
    const secretFile = join(this.#folder, 'secret.json')
    const target = this.pick([...leads, secretFile, `file://${secretFile}`, 'secret.json#/secret', this.#counter.url])
    const others = [target, 7, true, null, [{ $ref: target }], this.#nested(300), { $id: target }, { $schema: target }]
    return this.chance() < 0.6 ? { $ref: target } : this.pick<Json>(others)
  }

  #nested(levels: number): Json {
    let value: Json = {}
    for (let level = this.chance() * levels; level > 0; level -= 1) value = { not: value }
    return value
  }

  override close(): void {
    this.#counter.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function listObjects(value: Json): { [name: string]: Json }[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(listObjects)
  return isObject(value) ? [value, ...inner] : inner
}
