import type { Schema } from '../../api/answers.ts'
import { info } from '../../store/server.ts'
import type { CurlRequest } from '../../ui/curl.ts'
import { objectOf } from '../../ui/text.ts'
import type { DocumentedOperation } from './operations.ts'

/** Returns a request that shows an item of an operation which no client has met. */
export function requestThatShows(
  operation: DocumentedOperation,
  { point, headers, path }: Schema<'MissingPoint'>,
): CurlRequest {
  const { method, parameters, body } = operation
  const chosen = parameters.filter((one) => one.isRequired || (one.place === point.in && one.name === point.name))
  const textFor = (name: string, sample: unknown) => String(name === point.name ? (point.value ?? sample) : sample)
  const values = (place: string) =>
    chosen
      .filter((one) => one.place === place)
      .map(({ name, sample }): [string, string] => [name, textFor(name, sample)])
  const filled = values('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  )
  const query = new URLSearchParams(values('query')).toString()
  const basePath = info.value?.contract.basePath ?? ''
  return {
    method,
    path: path === undefined ? filled + (query && `?${query}`) : path.slice(basePath.length),
    headers: { ...Object.fromEntries(values('header')), ...headers },
    ...(body && { body: bodyWith(body, point) }),
  }
}

/** Returns the first example of a body, with the member or value of a point put in. */
function bodyWith(
  { examples, fields }: NonNullable<DocumentedOperation['body']>,
  { kind, pointer, value }: Schema<'MissingPoint'>['point'],
): unknown {
  const required = fields.filter(({ pointer, isRequired }) => isRequired && pointer.lastIndexOf('/') === 0)
  const plain = examples[0] ?? Object.fromEntries(required.map(({ name, sample }) => [name, sample]))
  if (pointer === undefined || !kind.startsWith('field')) return plain
  const sample = fields.find((field) => field.pointer === pointer)?.sample
  return withMember(plain, pointer.split('/').slice(1), value ?? sample)
}

function withMember(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member
  if (name !== '*') return { ...objectOf(value), [name]: withMember(objectOf(value)[name], rest, member) }
  const [first, ...others] = Array.isArray(value) ? value : []
  return [withMember(first, rest, member), ...others]
}
