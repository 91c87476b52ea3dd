import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject, type JsonObject, measureJson } from '../../../base/core/json.ts'
import { parsePointer, parseReference, toFragment, valueAt, valueAtTokens } from '../../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { MAX_VALUES } from '../../../base/documents/parse.ts'
import { readSource } from '../../../base/documents/read-source.ts'
import type { Source } from '../../../base/documents/source.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'
import { type DocumentFault, error, warning } from './fault.ts'

/** A value in a file, which may be another than the document's. */
interface Origin {
  readonly source: Source
  readonly pointer: string
}

/**
 * Changes a document in place so that each `$ref` leads to a place in it, an object of the expected kind: parts of other
 * files are copied, `$id`s and anchors replaced by pointers. What a reference in vain describes is left out.
 * @returns a source whose places lead to the file that a value comes from
 */
export async function bundleReferences(main: Source, document: JsonObject) {
  const bundle = new Bundle(main, document)
  const faults = await bundle.follow()
  for (const { kind, pointer, value } of walk(document)) {
    if (value.$ref !== undefined && isCircular(document, pointer))
      faults.push(leaveOut(document, { kind, pointer, value }, 'leads back to itself'))
    if (kind === 'schema') for (const name of ['$id', '$anchor', '$dynamicAnchor']) delete value[name]
  }
  return { source: { ...main, place: bundle.place, files: [...bundle.files.keys()] }, faults }
}

class Bundle {
  readonly files = new Map<string, Source>()
  readonly #document: JsonObject
  readonly #main: Source
  readonly #kinds: Map<string, NodeKind>
  /** What has an `$id` or an anchor, and all files, by their URIs. */
  readonly #targets = new Map<string, Origin>()
  /** Where a value is from, and all in it that is not listed. */
  readonly #origins = new Map<string, Origin>()
  readonly #copies = new Map<string, string>()
  readonly #followed = new WeakSet<JsonObject>() // an alias of YAML shares a value between places
  #copied = 0

  constructor(main: Source, document: JsonObject) {
    this.#document = document
    this.#main = main
    this.#origins.set('', { source: main, pointer: '' })
    this.#kinds = new Map(Array.from(walk(document), ({ pointer, kind }) => [pointer, kind]))
    this.#register(main)
  }

  readonly place = (pointer: string): string => {
    const origin = this.#originOf(pointer)
    return origin.source.place(origin.pointer)
  }

  async follow(): Promise<DocumentFault[]> {
    const faults: DocumentFault[] = []
    const roots: DocumentNode[] = [{ kind: 'document', pointer: '', value: this.#document }]
    for (const root of roots)
      for (const node of listReferences(root)) {
        const isReplaced = valueAt(this.#document, node.pointer) !== node.value
        if (isReplaced || this.#followed.has(node.value)) continue
        const result = await this.#follow(node)
        if (result.ok) roots.push(...result.value)
        else faults.push(leaveOut(this.#document, node, result.error))
      }
    return faults
  }

  /** Makes a reference a pointer. Returns the parts that were copied for it. */
  async #follow(node: DocumentNode): Promise<Result<DocumentNode[]>> {
    const { kind, value } = node
    if (typeof value.$ref !== 'string') return failure('must be a string')
    const found = await this.#find(this.#originOf(node.pointer), value.$ref)
    if (!found.ok) return found
    const { source, pointer } = found.value
    const target = valueAt(source.value, pointer)
    const known = source === this.#main ? this.#kinds.get(pointer) : undefined
    if (known === kind || (kind === 'schema' && typeof target === 'boolean' && source === this.#main)) {
      return success(this.#point(value, pointer))
    }
    if (known !== undefined) return failure(`leads to a ${known}; a ${kind} is expected here`)
    if (target === undefined) return failure('leads to nothing')
    return isObject(target) ? this.#copy(node, found.value, target) : failure('leads to a value that is not an object')
  }

  /** Copies a part to the components, or in place of its reference. */
  #copy(node: DocumentNode, from: Origin, target: JsonObject): Result<DocumentNode[]> {
    const section = sectionOf(node.kind, this.#document)
    const key = [section ?? node.pointer, from.source.file, from.pointer].join(' ')
    const known = this.#copies.get(key)
    if (known !== undefined && section === undefined) return failure('leads back to itself')
    const pointer = known ?? (section === undefined ? node.pointer : this.#findFreePlace(section, from))
    if (section !== undefined) this.#point(node.value, pointer)
    if (known !== undefined) return success([])
    this.#copied += measureJson(target).members
    if (this.#copied > MAX_VALUES) return failure(`makes a document of more than ${MAX_VALUES} values`)
    const value: JsonObject = JSON.parse(JSON.stringify(target))
    const tokens = parsePointer(pointer)
    Object.assign(valueAtTokens(this.#document, tokens.slice(0, -1)) ?? {}, { [tokens.at(-1) ?? '']: value })
    this.#copies.set(key, pointer)
    this.#origins.set(pointer, from)
    this.#kinds.set(pointer, node.kind)
    return success([{ kind: node.kind, pointer, value }])
  }

  #point(value: JsonObject, pointer: string): [] {
    if (parseReference(String(value.$ref)) !== pointer) value.$ref = toFragment(pointer)
    this.#followed.add(value)
    return []
  }

  /** Returns the pointer of a component that does not exist yet, with the name of the part. */
  #findFreePlace(section: string, { source, pointer }: Origin): string {
    let map = this.#document
    for (const name of parsePointer(section)) {
      map[name] ??= {}
      map = map[name] as JsonObject // or the structure is wrong
    }
    const last = (pointer || source.file.replace(/\.\w+$/, '')).split(/[\\/]/).at(-1) ?? ''
    const name = last.replace(/[^\w.-]/g, '_')
    let free = name
    for (let count = 2; Object.hasOwn(map, free); count += 1) free = `${name}_${count}`
    return `${section}/${free}`
  }

  #originOf(pointer: string): Origin {
    let at = pointer
    while (!this.#origins.has(at)) at = at.slice(0, at.lastIndexOf('/'))
    const { source, pointer: start } = this.#origins.get(at) ?? { source: this.#main, pointer: '' }
    return { source, pointer: start + pointer.slice(at.length) }
  }

  /** Finds what a reference at a place of a file leads to: by its URI, or else as the path of another file. */
  async #find({ source, pointer }: Origin, $ref: string): Promise<Result<Origin>> {
    const isSimple = source === this.#main && this.#targets.size === this.files.size // no URI but those of files
    const local = isSimple ? parseReference($ref) : undefined
    if (local !== undefined) return success({ source, pointer: local })
    const file = pathToFileURL(source.file).href
    const known = this.#lookUp($ref, uriOf(source, pointer)) ?? this.#lookUp($ref, file)
    if (known) return success(known)
    const read = await this.#read($ref.replace(/#.*/s, ''), source)
    if (!read.ok) return read
    const found = this.#lookUp($ref, file)
    return found ? success(found) : failure('leads to nothing')
  }

  /** Returns what a URI leads to: a file, an `$id`, an anchor, or a place in one of the first two. */
  #lookUp($ref: string, base: string): Origin | undefined {
    if (!URL.canParse($ref, base)) return undefined
    const { href } = new URL($ref, base)
    const [uri = '', fragment = ''] = href.split('#')
    const root = this.#targets.get(uri)
    const inner = parseReference(`#${fragment}`)
    if (!root || inner === undefined) return this.#targets.get(href)
    const target = { ...root, pointer: root.pointer + inner }
    return valueAt(root.source.value, target.pointer) === undefined ? undefined : target
  }

  /** Reads the file of a reference. What a document can show is limited to its project: others may have written it. */
  async #read(path: string, { file }: Source): Promise<Result<Source>> {
    const decoded = parseReference(`#/${path}`)
    if (path === '') return failure('leads to nothing')
    if (decoded === undefined || /^([a-z][\w+.-]+:|[/\\])/i.test(path))
      return failure('leads out of the document; save the file beside the document, and refer to it by a relative path')
    const next = join(dirname(file), decoded)
    const main = this.#main.file
    const project = isWithin(resolve(), main) ? resolve() : dirname(main)
    if (!isWithin(project, next)) return failure(`leads out of the document's folder ${project}`)
    if (!/\.(ya?ml|json)$/i.test(next)) return failure('leads to a file that is not named .yaml, .yml or .json')
    if (this.files.has(next)) return failure('leads to nothing')
    const read = await readSource(next)
    if (read.ok) return success(this.#register(read.value))
    return failure(`cannot be followed: ${read.error.map(({ place, message }) => `${place} ${message}`)[0]}`)
  }

  #register(source: Source): Source {
    this.files.set(source.file, source)
    this.#targets.set(pathToFileURL(source.file).href, { source, pointer: '' })
    const { value } = source
    const kind = isObject(value) && ('openapi' in value || 'swagger' in value) ? 'document' : 'schema'
    for (const node of isObject(value) ? walk(value, kind) : [])
      if (node.kind === 'schema') this.#registerSchema(source, node)
    return source
  }

  #registerSchema(source: Source, { pointer, value: { $id, $anchor, $dynamicAnchor } }: DocumentNode): void {
    if (typeof $id === 'string') this.#targets.set(uriOf(source, pointer), { source, pointer })
    for (const name of [$anchor, $dynamicAnchor])
      if (typeof name === 'string') this.#targets.set(`${uriOf(source, pointer)}#${name}`, { source, pointer })
  }
}

/** Lists the references in a part, itself included. */
function listReferences({ kind, pointer, value }: DocumentNode): DocumentNode[] {
  const nodes = [...walk(value, kind)].map((node) => ({ ...node, pointer: pointer + node.pointer }))
  for (const { value: schema } of nodes.filter(
    (node) => node.kind === 'schema' && node.value.$dynamicRef !== undefined,
  )) {
    schema.$ref ??= schema.$dynamicRef ?? '' // where it leads unless a schema around it overrides its target
    delete schema.$dynamicRef
  }
  return nodes.filter((node) => node.value.$ref !== undefined)
}

const isWithin = (folder: string, file: string): boolean => !/^(\.\.|\/|[a-z]:)/i.test(relative(folder, file))

/** Returns the URI of the innermost schema with an `$id` around a place, or of its file. */
function uriOf(source: Source, pointer: string): string {
  const value = valueAt(source.value, pointer)
  const outer = pointer.slice(0, pointer.lastIndexOf('/'))
  const around = pointer === '' ? pathToFileURL(source.file).href : uriOf(source, outer)
  const $id = isObject(value) ? value.$id : undefined
  return typeof $id === 'string' && URL.canParse($id, around) ? new URL($id, around).href.replace(/#$/, '') : around
}

/** Returns the pointer of the map for copied parts of a kind; undefined for kinds that replace their references. */
function sectionOf(kind: NodeKind, { swagger }: JsonObject): string | undefined {
  if (swagger !== undefined) return kind === 'schema' ? '/definitions' : undefined
  if (['pathItem', 'operation', 'mediaType', 'encoding'].includes(kind)) return undefined
  return `/components/${kind === 'requestBody' ? 'requestBodies' : `${kind}s`}`
}

/** Takes a reference in vain out of the document. A schema without it is open, a response undescribed. */
function leaveOut(document: JsonObject, { kind, pointer, value }: DocumentNode, fault: string): DocumentFault {
  const { $ref } = value
  const tokens = parsePointer(pointer)
  const around = valueAtTokens(document, tokens.slice(0, -1))
  if (isObject(around) && !['schema', 'response'].includes(kind)) delete around[tokens.at(-1) ?? '']
  else delete value.$ref
  const message = typeof $ref === 'string' ? `$ref "${$ref}" ${fault}` : `$ref ${fault}`
  if (kind === 'pathItem' || kind === 'operation') return error(`${pointer}/$ref`, message)
  return warning(`${pointer}/$ref`, `${message}; ${kind === 'schema' ? 'any value is accepted' : 'it is left out'}`)
}

/** Returns true if references lead only to each other. A member that refers to its own schema is not a circle. */
function isCircular(document: JsonObject, pointer: string): boolean {
  const passed = new Set<string>()
  for (let at: string | undefined = pointer; at !== undefined; ) {
    if (passed.has(at)) return true
    passed.add(at)
    const value = valueAt(document, at)
    at = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
  }
  return false
}
