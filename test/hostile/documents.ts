import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject, type Json } from '../../src/base/core/json.ts'
import { documentWithData, findProblem, startCounter, tryDocument } from '../support/try-document.ts'
import { type Chance, type Numbers, pick } from './trial.ts'

const secret = 'file content that must not appear in any output'

/** Member names that occur in OpenAPI documents, schemas and data. */
const NAMES =
  `$ref $id $schema $anchor $dynamicRef $dynamicAnchor $defs example examples default const enum x-a properties items
  allOf anyOf not patternProperties schema content headers links callbacks components schemas examples parameters
  requestBody responses security discriminator value externalValue constructor a`.split(/\s+/)

/** Creates a valid document to change at random. */
const createDocument = () => ({
  ...documentWithData({ schema: { $ref: '#/components/schemas/A' }, examples: { a: { value: { a: 1 } } } }),
  'x-a': { a: {} },
  components: {
    schemas: { A: { properties: { a: { default: {} }, b: { enum: [{}] } } }, B: { items: { allOf: [{ const: {} }] } } },
    examples: { 'x-b': { value: {} } },
    links: { a: { operationId: 'getData', requestBody: {} } },
  },
})

/** Starts a trial that gives randomly changed documents to `convsim check` and to a simulator at startup. */
export async function startDocumentTrial(chance: Chance, numbers: Numbers) {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-hostile-'))
  const [file, secretFile] = [join(folder, 'contract.json'), join(folder, 'secret.json')]
  writeFileSync(secretFile, JSON.stringify({ secret }))
  const counter = await startCounter()

  async function tryRandomDocument(): Promise<void> {
    const hostile: Json = createDocument()
    for (let changes = 1 + chance() * 4; changes > 0; changes -= 1) change(hostile)
    const text = JSON.stringify(hostile)
    writeFileSync(file, text)
    const outcome = await tryDocument(file)
    numbers.add('documents')
    if (outcome.startupErrors.length === 0) numbers.add('documents that were served')
    const failure = counter.counted.requests > 0 ? 'the document caused a request' : findProblem(outcome, secret)
    counter.counted.requests = 0
    if (failure !== undefined) numbers.fail(`${failure}: ${text.slice(0, 3000)}`)
  }

  /** Sets a member of a random object in the document to a random value. */
  function change(root: Json): void {
    const object = pick(chance, listObjects(root))
    const name = chance() < 0.2 ? pick(chance, Object.keys(object).concat('a')) : pick(chance, NAMES)
    const value = createValue(chance() * 4)
    object[name] = chance() < 0.5 && name !== '$ref' && isObject(value) ? { a: value, ...value } : value
  }

  function createValue(levels: number): Json {
    if (levels > 1 && chance() < 0.6) return { [pick(chance, NAMES)]: createValue(levels - 1), a: {} }
    const pointers = ['#/components/schemas/A', '#/components/schemas/B', '#/x-a/a', '#/paths/~1data', '#', '#a', 'a']
    const target = pick(chance, [...pointers, secretFile, `file://${secretFile}`, 'secret.json#/secret', counter.url])
    const values = [target, 7, true, null, [{ $ref: target }], createNested(300), { $id: target }, { $schema: target }]
    return chance() < 0.6 ? { $ref: target } : pick<Json>(chance, values)
  }

  function createNested(maxLevels: number): Json {
    let value: Json = {}
    for (let level = chance() * maxLevels; level > 0; level -= 1) value = { not: value }
    return value
  }

  return {
    async run() {
      for (let count = 0; count < 3; count += 1) await tryRandomDocument()
    },
    close() {
      counter.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function listObjects(value: Json): { [name: string]: Json }[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(listObjects)
  return isObject(value) ? [value, ...inner] : inner
}
