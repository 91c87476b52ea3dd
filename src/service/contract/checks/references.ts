import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { isObject, type Json, type JsonObject, measureJson } from '../../../base/core/json.ts'
import { parsePointer, parseReference, toFragment, valueAt, valueAtTokens } from '../../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../../base/core/result.ts'
import { readSource } from '../../../base/documents/read-source.ts'
import type { Source } from '../../../base/documents/source.ts'
import { MAX_VALUES } from '../../../base/documents/source.ts'
import { type DocumentNode, type NodeKind, walk } from '../walk.ts'
import { type DocumentFault, error, warning } from './fault.ts'

/** A value in a file, which may be another than the document's. */
interface Origin {
  readonly source: Source
  readonly pointer: string
}

/** A part of the document. `copied` names the parts of files that it and the parts around it were copied from. */
interface Part extends DocumentNode {
  readonly copied: readonly string[]
}

interface FailedReference extends DocumentNode {
  readonly fault: string
}

/**
 * Changes a document in place so that each `$ref` leads to a place in it, an object of the expected kind: parts of
 * other files are copied, and `$id`s and anchors replaced by pointers. The source's places lead to the file of a value.
 * @returns also the references for which there is no such place; `leaveOut` removes them
 */
export async function bundleReferences(main: Source, document: JsonObject) {
  const bundle = new Bundle(main, document)
  const failed = await bundle.follow()
  return { source: { ...main, place: bundle.place, files: [...bundle.files.keys()] }, failed }
}

class Bundle {
  readonly files = new Map<string, Source>()
  readonly #document: JsonObject
  readonly #main: Source
  readonly #kinds: Map<string, NodeKind>
  /** The schemas that have an `$id`, by its spellings, or an anchor, behind the name of its file. */
  readonly #named = new Map<string, Origin>()
  /** Where values are from, and what is in them. */
  readonly #origins = new Map<string, Origin>()
  readonly #schemas = new Map<string, string>()
  #size = 0

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

  async follow(): Promise<FailedReference[]> {
    const failed: FailedReference[] = []
    const parts: Part[] = [{ kind: 'document', pointer: '', value: this.#document, copied: [] }]
    for (const part of parts)
      for (const node of listReferences(part)) {
        const followed = await this.#follow({ ...node, copied: part.copied })
        if (followed.ok) parts.push(...followed.value)
        else failed.push({ ...node, fault: followed.error })
      }
    return failed
  }

  async #follow(part: Part): Promise<Result<Part[]>> {
    if (valueAt(this.#document, part.pointer) !== part.value) return success([]) // it was in a part that was replaced
    const found = await this.#find(this.#originOf(part.pointer), part.value.$ref)
    return found.ok ? this.#point(part, found.value) : found
  }

  #originOf(pointer: string): Origin {
    let at = pointer
    while (!this.#origins.has(at)) at = at.slice(0, at.lastIndexOf('/'))
    const { source, pointer: start } = this.#origins.get(at) ?? { source: this.#main, pointer: '' }
    return { source, pointer: start + pointer.slice(at.length) }
  }

  /** Finds what a reference at a place of a file leads to. */
  async #find(at: Origin, $ref: Json | undefined): Promise<Result<Origin>> {
    if (typeof $ref !== 'string') return failure('must be a string')
    const [name = '', fragment = ''] = $ref.split('#')
    const root = name === '' ? success({ ...at, pointer: '' }) : await this.#findRoot(name, at.source)
    if (!root.ok) return root
    const inner = parseReference(`#${fragment}`)
    const anchor = inner === undefined ? this.#named.get(`${root.value.source.file}#${fragment}`) : undefined
    // A pointer starts at the schema around it that has an `$id`; many mean the root of the file nevertheless.
    const starts = name === '' && this.#named.size > 0 ? [innermostId(at), root.value] : [root.value]
    const targets = anchor ? [anchor] : starts.map((start) => ({ ...start, pointer: start.pointer + (inner ?? '#') }))
    const found = targets.find(({ source, pointer }) => valueAt(source.value, pointer) !== undefined)
    return found ? success(found) : failure('leads to nothing')
  }

  /** Finds an `$id`, or reads a file. What a document shows is limited to its project: others may have written it. */
  async #findRoot(name: string, { file }: Source): Promise<Result<Origin>> {
    const named = this.#named.get(name)
    if (named) return success(named)
    const path = join(dirname(file), parseReference(`#/${name}`) ?? name)
    const project = isWithin(resolve(), this.#main.file) ? resolve() : dirname(this.#main.file)
    if (/^([a-z][\w+.-]+:|[/\\])/i.test(name) || !isWithin(project, path))
      return failure('leads out of the document; only files beside it, or in the working directory, are read')
    if (!/\.(ya?ml|json)$/i.test(path)) return failure('leads to a file that is not named .yaml, .yml or .json')
    const known = this.files.get(path)
    const read = known ? success(known) : await readSource(path)
    if (read.ok) return success({ source: this.#register(read.value), pointer: '' })
    return failure(`cannot be followed: ${read.error.map(({ place, message }) => `${place} ${message}`)[0]}`)
  }

  #register(source: Source): Source {
    if (this.files.has(source.file) || !isObject(source.value)) return source
    this.files.set(source.file, source)
    const kind = 'openapi' in source.value || 'swagger' in source.value ? 'document' : 'schema'
    for (const { kind: found, pointer, value } of walk(source.value, kind))
      for (const name of found === 'schema' ? listNames(value, source.file) : [])
        this.#named.set(name, { source, pointer })
    return source
  }

  /** Makes a reference a pointer. Returns the part that was copied for it, if any. */
  #point(part: Part, from: Origin): Result<Part[]> {
    const { kind, value } = part
    const target = valueAt(from.source.value, from.pointer)
    const isInMain = from.source === this.#main
    const known = isInMain ? this.#kinds.get(from.pointer) : undefined
    const isRight = known === kind || (isInMain && kind === 'schema' && typeof target === 'boolean')
    if (!isRight && known !== undefined) return failure(`leads to a ${known}; a ${kind} is expected here`)
    const place = isRight ? from.pointer : kind === 'schema' ? this.#schemas.get(keyOf(from)) : undefined
    if (place === undefined) return isObject(target) ? this.#copy(part, from, target) : failure('leads to no object')
    if (parseReference(String(value.$ref)) !== place) value.$ref = toFragment(place)
    return success([])
  }

  /** Copies a schema to the components, any other part to the place of its reference. */
  #copy({ kind, pointer, value, copied }: Part, from: Origin, target: JsonObject): Result<Part[]> {
    if (copied.includes(keyOf(from))) return failure('leads back to itself')
    this.#size += measureJson(target).members
    if (this.#size > MAX_VALUES) return failure(`makes a document of more than ${MAX_VALUES} values`)
    const copy: JsonObject = JSON.parse(JSON.stringify(target))
    const at = kind === 'schema' ? this.#findFreePlace(from) : pointer
    const tokens = parsePointer(at)
    Object.assign(valueAtTokens(this.#document, tokens.slice(0, -1)) ?? {}, { [tokens.at(-1) ?? '']: copy })
    this.#origins.set(at, from)
    if (kind !== 'schema') return success([{ kind, pointer, value: copy, copied: [...copied, keyOf(from)] }])
    value.$ref = toFragment(at)
    this.#schemas.set(keyOf(from), at)
    return success([{ kind, pointer: at, value: copy, copied: [] }])
  }

  /** Returns the pointer of a schema that does not exist yet, with the name of the one that is copied. */
  #findFreePlace({ source, pointer }: Origin): string {
    let map = this.#document
    const section = 'swagger' in map ? ['definitions'] : ['components', 'schemas']
    for (const name of section) {
      map[name] ??= {}
      map = map[name] as JsonObject // or the structure is wrong
    }
    const name = (pointer.split('/').at(-1) || basename(source.file, extname(source.file))).replace(/[^\w.-]/g, '_')
    let free = name
    for (let count = 2; Object.hasOwn(map, free); count += 1) free = `${name}_${count}`
    return `/${[...section, free].join('/')}`
  }
}

/** Lists the references in a part, itself included. */
function listReferences({ kind, pointer, value: root }: DocumentNode): DocumentNode[] {
  const nodes = [...walk(root, kind)].map((node) => ({ ...node, pointer: pointer + node.pointer }))
  for (const { value } of nodes.filter((node) => node.kind === 'schema' && '$dynamicRef' in node.value)) {
    value.$ref ??= value.$dynamicRef ?? null // where it leads unless a schema around it overrides its target
    delete value.$dynamicRef
  }
  return nodes.filter(({ value }) => value.$ref !== undefined)
}

const isWithin = (folder: string, file: string): boolean => !/^(\.\.|\/|[a-z]:)/i.test(relative(folder, file))

const keyOf = ({ source, pointer }: Origin): string => `${source.file}#${pointer}`

/** Lists the names of a schema: its `$id` with the relative ones that can mean it, and its anchors. */
function listNames({ $id, $anchor, $dynamicAnchor }: JsonObject, file: string): string[] {
  const id = typeof $id === 'string' ? $id.replace(/#$/, '') : ''
  const anchors = [$anchor, $dynamicAnchor].filter((name) => typeof name === 'string')
  const ids = [id, id.replace(/^\w+:\/\/[^/]*/, ''), id.slice(id.lastIndexOf('/') + 1)]
  return [...ids.filter((name) => name !== ''), ...anchors.map((name) => `${file}#${name}`)]
}

/** Returns the innermost schema with an `$id` around a place, or else the root of its file. */
function innermostId({ source, pointer }: Origin): Origin {
  const value = valueAt(source.value, pointer)
  if (pointer === '' || (isObject(value) && typeof value.$id === 'string')) return { source, pointer }
  return innermostId({ source, pointer: pointer.slice(0, pointer.lastIndexOf('/')) })
}

/**
 * Takes references that fail out of the document. A schema without its reference is open, a response undescribed.
 * Without the part that a path refers to, there would be no operations: only that is an error.
 */
export function leaveOut(document: JsonObject, failed: readonly FailedReference[]): DocumentFault[] {
  const faults = failed.map((reference) => leaveOutOne(document, reference))
  for (const node of walk(document)) {
    if (node.value.$ref !== undefined && isCircular(document, node.pointer))
      faults.push(leaveOutOne(document, { ...node, fault: 'leads back to itself' }))
    if (node.kind === 'schema') for (const name of ['$id', '$anchor', '$dynamicAnchor']) delete node.value[name]
  }
  return faults
}

function leaveOutOne(document: JsonObject, { kind, pointer, value, fault }: FailedReference): DocumentFault {
  const { $ref } = value
  const tokens = parsePointer(pointer)
  const around = valueAtTokens(document, tokens.slice(0, -1))
  if (isObject(around) && !['schema', 'response'].includes(kind)) delete around[tokens.at(-1) ?? '']
  else delete value.$ref
  const message = `$ref ${typeof $ref === 'string' ? `"${$ref}" ` : ''}${fault}`
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
