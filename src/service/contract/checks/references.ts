import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { isObject, type JsonObject, measureJson } from '../../../base/core/json.ts'
import { parsePointer, parseReference, toFragment, valueAt, valueAtTokens } from '../../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { Origins, type SourcePart } from '../../../base/documents/origins.ts'
import { readSource } from '../../../base/documents/read-source.ts'
import { MAX_VALUES, type Source } from '../../../base/documents/source.ts'
import { followReferences } from '../resolve.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'
import { type DocumentFlaw, error, warning } from './flaw.ts'

/** A part of the document. `copiedFrom` lists where the part and its enclosing parts were copied from. */
interface Part extends DocumentNode {
  readonly copiedFrom: readonly string[]
}

type FailedReference = DocumentNode & { readonly reason: string }

/**
 * Rewrites a document in place so that each valid `$ref` points to an object of the expected kind in this document.
 * Parts of other files are copied in, and references by `$id` or anchor become pointers.
 * @returns the source, which still locates the original values, and the references that cannot be resolved
 */
export async function bundleReferences(main: Source, document: JsonObject, referencedFiles = new Set<string>()) {
  const bundle = new Bundle(main, document, referencedFiles)
  const failed: FailedReference[] = []
  failed.push(...(await bundle.inlineMaps()))
  const parts: Part[] = [{ kind: 'document', pointer: '', value: document, copiedFrom: [] }]
  for (const part of parts)
    for (const node of listReferences(part)) {
      const followed = await bundle.follow({ ...node, copiedFrom: part.copiedFrom })
      if (followed.ok) parts.push(...followed.value)
      else failed.push({ ...node, reason: followed.error })
    }
  return { source: { ...main, locate: bundle.origins.locate }, failed }
}

class Bundle {
  readonly #files = new Map<string, Source>()
  readonly origins: Origins
  readonly #document: JsonObject
  readonly #main: Source
  readonly #referencedFiles: Set<string>
  #kinds: ReadonlyMap<string, NodeKind> = new Map()
  /** The named schemas, by each form of their `$id`, and by file name and anchor, such as `types.yaml#thing`. */
  readonly #schemaByName = new Map<string, SourcePart>()
  readonly #copies = new Map<string, string>()
  #size = 0

  constructor(main: Source, document: JsonObject, referencedFiles: Set<string>) {
    this.#document = document
    this.#main = main
    this.#referencedFiles = referencedFiles
    this.origins = new Origins(main)
    this.#register(main)
  }

  /** Replaces maps such as `paths: { $ref: ./paths.yaml }` with their targets. Returns the unresolved references. */
  async inlineMaps(): Promise<FailedReference[]> {
    const failed: FailedReference[] = []
    const sections = Object.keys(valueAt(this.#document, '/components') ?? {}).map((name) => `/components/${name}`)
    for (const pointer of ['/paths', '/definitions', ...sections]) {
      const value = valueAt(this.#document, pointer)
      if (isObject(value) && Object.keys(value).join() === '$ref') failed.push(...(await this.#inline(pointer, value)))
    }
    this.#kinds = new Map(Array.from(walk(this.#document), ({ pointer, kind }) => [pointer, kind]))
    return failed
  }

  async #inline(pointer: string, map: JsonObject): Promise<FailedReference[]> {
    const found = await this.#find(this.origins.find(pointer), String(map.$ref))
    const target = found.ok ? valueAt(found.value.source.value, found.value.pointer) : undefined
    if (!found.ok || !isObject(target))
      return [{ kind: 'document', pointer, value: map, reason: found.ok ? 'must point to an object' : found.error }]
    delete map.$ref
    this.origins.set(pointer, found.value)
    Object.assign(map, JSON.parse(JSON.stringify(target)))
    return []
  }

  /** Points a reference at a part of the document. Returns the part if it had to be copied, or else an empty list. */
  async follow(part: Part): Promise<Result<Part[]>> {
    const { pointer, value } = part
    if (valueAt(this.#document, pointer) !== value) return success([]) // an enclosing part has been replaced
    if (typeof value.$ref !== 'string') return failure('must be a string')
    const found = await this.#find(this.origins.find(pointer), value.$ref)
    return found.ok ? this.#point(part, found.value) : found
  }

  async #find(at: SourcePart, $ref: string): Promise<Result<SourcePart>> {
    const [name = '', fragment = ''] = $ref.split('#')
    const root = name === '' ? success({ source: at.source, pointer: '' }) : await this.#findRoot(name, at.source)
    if (!root.ok) return root
    const inner = parseReference(`#${fragment}`)
    const anchor = inner === undefined ? this.#schemaByName.get(`${root.value.source.file}#${fragment}`) : undefined
    // JSON Schema resolves a pointer against the enclosing schema with an `$id`, but many documents mean the file root.
    const starts = name === '' && this.#schemaByName.size > 0 ? [findEnclosingId(at), root.value] : [root.value]
    const targets = anchor ? [anchor] : starts.map((start) => ({ ...start, pointer: start.pointer + (inner ?? '#') }))
    const found = targets.find(({ source, pointer }) => valueAt(source.value, pointer) !== undefined)
    return found ? success(found) : failure('points to nothing')
  }

  /** Finds a schema by `$id`, or reads a file. Only project files are read, because the document may be untrusted. */
  async #findRoot(name: string, { file }: Source): Promise<Result<SourcePart>> {
    const schema = this.#schemaByName.get(name)
    if (schema) return success(schema)
    const path = join(dirname(file), parseReference(`#/${name}`) ?? name)
    const project = isWithin(resolve(), this.#main.file) ? resolve() : dirname(this.#main.file)
    if (/^([a-z][\w+.-]+:|[/\\])/i.test(name) || !isWithin(project, path))
      return failure("is outside the project (the working directory, or the document's folder if that is elsewhere)")
    if (!/\.(ya?ml|json)$/i.test(path)) return failure('points to a file without the extension .yaml, .yml or .json')
    this.#referencedFiles.add(path)
    const cached = this.#files.get(path)
    const read = cached ? success(cached) : await readSource(path)
    if (read.ok) return success({ source: this.#register(read.value), pointer: '' })
    return failure(`cannot be resolved: ${read.error.map(({ place, message }) => `${place} ${message}`)[0]}`)
  }

  #register(source: Source): Source {
    if (this.#files.has(source.file) || !isObject(source.value)) return source
    this.#files.set(source.file, source)
    const kind = 'openapi' in source.value || 'swagger' in source.value ? 'document' : 'schema'
    for (const { kind: nodeKind, pointer, value } of walk(source.value, kind))
      for (const name of nodeKind === 'schema' ? listNames(value, source.file) : [])
        this.#schemaByName.set(name, { source, pointer })
    return source
  }

  #point(part: Part, from: SourcePart): Result<Part[]> {
    const { kind, value } = part
    const target = valueAt(from.source.value, from.pointer)
    const isInMain = from.source === this.#main
    const actual = isInMain ? this.#kinds.get(from.pointer) : undefined
    const isExpected = actual === kind || (isInMain && kind === 'schema' && typeof target === 'boolean')
    if (!isExpected && actual !== undefined) return failure(`has a target of kind "${actual}"; expected "${kind}"`)
    const at = isExpected ? from.pointer : kind === 'schema' ? this.#copies.get(keyOf(from)) : undefined
    if (at === undefined) return isObject(target) ? this.#copy(part, from, target) : failure('must point to an object')
    if (parseReference(String(value.$ref)) !== at) value.$ref = toFragment(at)
    return success([])
  }

  /** Copies a schema to the components, or replaces a reference to another kind of object with a copy. */
  #copy({ kind, pointer, value, copiedFrom }: Part, from: SourcePart, target: JsonObject): Result<Part[]> {
    if (copiedFrom.includes(keyOf(from))) return failure('is circular')
    this.#size += measureJson(target).members
    if (this.#size > MAX_VALUES) return failure(`expands the document to more than ${MAX_VALUES} values`)
    const copy: JsonObject = JSON.parse(JSON.stringify(target))
    const at = kind === 'schema' ? this.#findFreePointer(from) : pointer
    const tokens = parsePointer(at)
    Object.assign(valueAtTokens(this.#document, tokens.slice(0, -1)) ?? {}, { [tokens.at(-1) ?? '']: copy })
    this.origins.set(at, from)
    if (kind !== 'schema') return success([{ kind, pointer, value: copy, copiedFrom: [...copiedFrom, keyOf(from)] }])
    value.$ref = toFragment(at)
    this.#copies.set(keyOf(from), at)
    return success([{ kind, pointer: at, value: copy, copiedFrom: [] }])
  }

  /** Returns an unused pointer for the copy of a schema, derived from the name of the schema or its file. */
  #findFreePointer({ source, pointer }: SourcePart): string {
    const section = 'swagger' in this.#document ? '/definitions' : '/components/schemas'
    let map = this.#document
    for (const name of parsePointer(section)) {
      map[name] ??= {}
      map = map[name] as JsonObject // an object in any valid document
    }
    const name = (pointer.split('/').at(-1) || basename(source.file, extname(source.file))).replace(/[^\w.-]/g, '_')
    let free = name
    for (let count = 2; Object.hasOwn(map, free); count += 1) free = `${name}_${count}`
    return `${section}/${free}`
  }
}

function listReferences({ kind, pointer, value: root }: DocumentNode): DocumentNode[] {
  return [...walk(root, kind, pointer)].filter((node) => {
    const { kind, value } = node
    // A dynamic reference is treated as a static reference: overrides in enclosing schemas are ignored.
    if (kind === 'schema' && '$dynamicRef' in value) value.$ref ??= value.$dynamicRef ?? null
    if (kind === 'schema') delete value.$dynamicRef
    return value.$ref !== undefined
  })
}

const isWithin = (folder: string, file: string): boolean => !/^(\.\.|\/|[a-z]:)/i.test(relative(folder, file))

const keyOf = ({ source, pointer }: SourcePart): string => `${source.file}#${pointer}`

/** Lists the names of a schema: its `$id`, the relative forms of the `$id`, and its anchors. */
function listNames({ $id, $anchor, $dynamicAnchor }: JsonObject, file: string): string[] {
  const id = typeof $id === 'string' ? $id.replace(/#$/, '') : ''
  const anchors = [$anchor, $dynamicAnchor].filter((name) => typeof name === 'string')
  const ids = [id, id.replace(/^\w+:\/\/[^/]*/, ''), id.slice(id.lastIndexOf('/') + 1)]
  return [...ids.filter((name) => name !== ''), ...anchors.map((name) => `${file}#${name}`)]
}

function findEnclosingId({ source, pointer }: SourcePart): SourcePart {
  const value = valueAt(source.value, pointer)
  if (pointer === '' || (isObject(value) && typeof value.$id === 'string')) return { source, pointer }
  return findEnclosingId({ source, pointer: pointer.slice(0, pointer.lastIndexOf('/')) })
}

/** Removes `$id`s, anchors and broken references. Returns errors for served paths, and warnings for other parts. */
export function removeBrokenReferences(document: JsonObject, failed: readonly FailedReference[]): DocumentFlaw[] {
  const flaws = failed.map((reference) => removeBrokenReference(document, reference))
  for (const node of walk(document)) {
    if (node.value.$ref !== undefined && followReferences(document, node.pointer).isCircular)
      flaws.push(removeBrokenReference(document, { ...node, reason: 'is circular' }))
    if (node.kind === 'schema') for (const name of ['$id', '$anchor', '$dynamicAnchor']) delete node.value[name]
  }
  return flaws
}

function removeBrokenReference(document: JsonObject, { kind, pointer, value, reason }: FailedReference): DocumentFlaw {
  const { $ref } = value
  const tokens = parsePointer(pointer)
  const parent = valueAtTokens(document, tokens.slice(0, -1))
  if (isObject(parent) && !['schema', 'response'].includes(kind)) delete parent[tokens.at(-1) ?? '']
  else delete value.$ref
  const message = `$ref ${typeof $ref === 'string' ? `"${$ref}" ` : ''}${reason}`
  const isServed =
    (pointer === '/paths' || ['pathItem', 'operation'].includes(kind)) && !/\/(webhooks|callbacks)\//.test(pointer)
  if (isServed) return error(`${pointer}/$ref`, message)
  return warning(`${pointer}/$ref`, `${message}; ${kind === 'schema' ? 'any value is accepted' : 'it is ignored'}`)
}
