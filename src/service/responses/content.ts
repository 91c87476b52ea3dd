import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { bareMediaType, isForm, isJson } from '../contract/media-types.ts'
import { flatten } from './flatten.ts'

const DEFAULT_TYPES = new Map([
  ['text', 'text/plain'],
  ['image', 'image/png'],
  ['audio', 'audio/mpeg'],
])

/** Returns a concrete type for a media type or range: `image/png` for `image/*`, JSON if the range includes it. */
export function concreteType(mediaType: string): string {
  if (/[^\x20-\x7e]/.test(mediaType) || !mediaType.includes('/')) return 'application/octet-stream'
  if (!mediaType.includes('*')) return mediaType
  if (isJson(mediaType)) return 'application/json'
  return DEFAULT_TYPES.get(mediaType.split('/')[0] ?? '') ?? 'application/octet-stream'
}

const isXml = (type: string) => /[/+]xml$/.test(type)
const isSequence = (type: string) => /[/.+-](ndjson|jsonl|json-lines|json-seq|event-stream)$/.test(type)

/** Returns the schema to generate a body from, such as a string schema for `text/css`; undefined for binary types. */
export function schemaFor(mediaType: string, schema: Json | undefined): Json | undefined {
  const type = bareMediaType(mediaType)
  const isStructured = [isJson, isXml, isSequence, isForm].some((matches) => matches(type)) || /[/+-]yaml$/.test(type)
  if (isStructured) return schema
  if (!type.startsWith('text/')) return undefined
  return isObject(schema) && schema['type'] === 'string' ? schema : { type: 'string' }
}

/** Serializes a value in the format of a media type. A string stays unchanged, except in JSON. */
export function toText(root: JsonObject, mediaType: string, value: Json, schema?: Json): string {
  const type = bareMediaType(mediaType)
  if (typeof value === 'string' && !isJson(type)) return value
  if (isXml(type)) {
    const { $ref = 'root' } = isObject(schema) ? schema : {}
    const name = String($ref).split('/').at(-1) ?? ''
    return `<?xml version="1.0" encoding="UTF-8"?>\n${toXml(root, name, value, schema)}`
  }
  if (type === 'text/event-stream') return [value].flat().map(toEvent).join('')
  if (isSequence(type))
    return [value]
      .flat()
      .map((item) => `${JSON.stringify(item)}\n`)
      .join('')
  if (isForm(type) && isObject(value)) {
    const fields = Object.entries(value).map(([name, member]): [string, string] => [name, plainText(member)])
    return new URLSearchParams(fields).toString()
  }
  return JSON.stringify(value)
}

/** Serializes a header value in OpenAPI's `simple` style: array items, or member names and values, joined by commas. */
export function toSimpleStyle(value: Json, explode: boolean): string {
  if (!isObject(value)) return [value].flat().map(plainText).join(',')
  return Object.entries(value)
    .map(([name, member]) => `${name}${explode ? '=' : ','}${plainText(member)}`)
    .join(',')
}

const plainText = (value: Json) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function toEvent(item: Json): string {
  const fields = isObject(item) && 'data' in item ? item : { data: item }
  return `${Object.entries(fields)
    .map(([name, value]) => `${name}: ${plainText(value)}\n`)
    .join('')}\n`
}

const escapeXml = (value: Json) => plainText(value).replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Returns a value as XML, as the schema's `xml` keyword describes. An unwrapped array becomes one element per item. */
function toXml(root: JsonObject, name: string, value: Json, schema: Json = {}): string {
  const { properties, items, additionalProperties, xml = {} }: JsonObject = flatten(root, schema, 0, []) ?? {}
  const { name: ownName = name, prefix, namespace, wrapped = false } = xml as JsonObject
  const tag = prefix === undefined ? String(ownName) : `${prefix}:${ownName}`
  const xmlns =
    namespace === undefined ? '' : ` xmlns${prefix === undefined ? '' : `:${prefix}`}="${escapeXml(namespace)}"`
  const element = (content: string, attributes = '') => `<${tag}${xmlns}${attributes}>${content}</${tag}>`
  if (Array.isArray(value)) {
    const list = value.map((item) => toXml(root, wrapped ? name : tag, item, items)).join('')
    return wrapped ? element(list) : list
  }
  if (!isObject(value)) return element(value === null ? '' : escapeXml(value))
  const schemaOf = (member: string) => (properties as JsonObject)[member] ?? additionalProperties
  const attributes = Object.entries(value).map(([member, text]) => toAttribute(root, member, text, schemaOf(member)))
  const elements = Object.entries(value).map(([member, inner], index) =>
    attributes[index] === '' ? toXml(root, member, inner, schemaOf(member)) : '',
  )
  return element(elements.join(''), attributes.join(''))
}

function toAttribute(root: JsonObject, member: string, value: Json, schema: Json = {}): string {
  const xml = flatten(root, schema, 0, [])?.xml
  return isObject(xml) && xml.attribute === true ? ` ${xml.name ?? member}="${escapeXml(value)}"` : ''
}
