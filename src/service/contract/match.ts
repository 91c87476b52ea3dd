import { groupBy } from '../../base/core/group-by.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import type { Contract, Operation } from './contract.ts'

/** A segment of a path template: `v{major}.{minor}` has the texts `v`, `.` and the empty text, one more than names. */
interface Segment {
  readonly texts: readonly string[]
  readonly names: readonly string[]
}

interface PathTemplate {
  readonly path: string
  readonly segments: readonly Segment[]
  readonly operations: ReadonlyMap<string, Operation>
}

/** The templates under one base path, which has `depth` segments. */
interface PathBase {
  readonly depth: number
  readonly templates: readonly PathTemplate[]
}

/**
 * Creates the matcher of a document's paths under their base paths, of which the longest wins. If several templates
 * match, the first concrete segment decides, as OpenAPI demands: `/models/mine` wins over `/models/{modelId}`, even if
 * only the latter has the method.
 */
export function createMatcher(basePath: string, operations: readonly Operation[]): Contract['match'] {
  const bases = [...groupBy(operations, (operation) => operation.basePath)]
    .map(([base, list]) => ({ base, depth: base.split('/').length - 1, templates: listTemplates(list) }))
    .sort((a, b) => b.base.length - a.base.length)
  const belowRoot = bases.filter(({ base }) => base === basePath).map((base) => ({ ...base, depth: 0 }))
  return (method, path) => {
    const around = bases.filter(({ base }) => path === base || path.startsWith(`${base}/`))
    const segments = decodePath(path)
    if (!segments.ok) return { kind: 'malformed', reason: segments.error }
    const found = findTemplate(around.length > 0 ? around : belowRoot, segments.value)
    if (around.length === 0) return { kind: 'outside-base', isBaseMissing: found !== undefined }
    if (found === undefined) return { kind: 'unknown-path' }
    const { template, values } = found
    const operation = template.operations.get(method)
    if (operation === undefined)
      return { kind: 'wrong-method', path: template.path, allowed: [...template.operations.keys()].sort() }
    return { kind: 'operation', operation, path: operation.path === template.path ? values : rename(values, operation) }
  }
}

/** Returns a path template without the names of its parameters, which decide nothing. */
export const anonymousPath = (path: string): string => path.replace(/\{[^{}]*\}/g, '{}')

/** Returns the parameters of a path with the names that an operation's own template has for them. */
function rename(values: Readonly<Record<string, string>>, { path }: Operation): Record<string, string> {
  const texts = Object.values(values)
  const names = path.split('/').flatMap((segment) => parseSegment(segment).names)
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']))
}

/** Returns the templates, of those with as many segments the most concrete first. */
function listTemplates(operations: readonly Operation[]): PathTemplate[] {
  const templates = [...groupBy(operations, ({ path }) => anonymousPath(path))].map(([path, list]) => ({
    path: list[0]?.path ?? path,
    segments: (list[0]?.path ?? path).split('/').slice(1).map(parseSegment),
    operations: new Map(list.map((operation) => [operation.method, operation])),
  }))
  return templates.sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
}

/** Returns a text with a digit per segment, smallest for the most concrete template: `00` for `/models/mine`. */
function sortKeyOf({ segments }: PathTemplate): string {
  const rankOfMixed = ({ texts }: Segment) => (texts.join('') === '' && texts.length === 2 ? '2' : '1')
  return segments.map((segment) => (segment.names.length === 0 ? '0' : rankOfMixed(segment))).join('')
}

function parseSegment(segment: string): Segment {
  const parts = segment.split(/\{([^{}]*)\}/) // texts and names in turn
  const every = (first: number) => parts.filter((_, index) => index % 2 === first)
  return { texts: every(0).map(decode), names: every(1) }
}

/** Returns a text of a template as requests have it after `decodePath`: percent-encoded or not, they mean the same. */
function decode(text: string): string {
  const decoded = decodePath(`/${text}`)
  return decoded.ok ? decoded.value.join('/') : text
}

/** Returns the decoded segments of a path. An encoded slash stays within its segment. */
function decodePath(path: string): Result<string[]> {
  const segments = path.split('/').slice(1)
  if (!path.includes('%')) return success(segments)
  const decoded: string[] = []
  for (const segment of segments) {
    try {
      decoded.push(decodeURIComponent(segment))
    } catch {
      return failure(`"${segment}" is not valid percent-encoding; write a percent sign as %25`)
    }
  }
  return success(decoded)
}

/** Finds the first template that matches, with the parameters of the path, each at least one character long. */
function findTemplate(bases: readonly PathBase[], path: readonly string[]) {
  for (const { depth, templates } of bases) {
    const segments = path.slice(depth)
    for (const template of templates) {
      if (template.segments.length !== segments.length) continue
      const values: Record<string, string> = {}
      if (template.segments.every((expected, index) => matchSegment(expected, segments[index] ?? '', values)))
        return { template, values }
    }
  }
  return undefined
}

function matchSegment({ texts, names }: Segment, segment: string, values: Record<string, string>): boolean {
  if (names.length === 0) return texts[0] === segment
  const parts = splitMixed(texts, segment)
  for (const [position, name] of names.entries()) values[name] = parts?.[position] ?? ''
  return parts !== undefined
}

/**
 * Returns the texts of the parameters between fixed texts, or undefined if the segment does not match. It splits from
 * the end, as greedily as `(.+)\.(.+)` but without that expression's polynomial time: `{name}.{extension}` splits
 * `a.b.txt` at its last dot.
 */
function splitMixed(texts: readonly string[], segment: string): string[] | undefined {
  const first = texts[0] ?? ''
  const last = texts.at(-1) ?? ''
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined
  const parts: string[] = []
  let end = segment.length - last.length
  for (const before of texts.slice(1, -1).reverse()) {
    const from = end - 1 - before.length // the latest place at which a character follows
    const at = from < first.length ? -1 : segment.lastIndexOf(before, from)
    if (at < first.length) return undefined
    parts.push(segment.slice(at + before.length, end))
    end = at
  }
  if (end <= first.length) return undefined
  return [...parts, segment.slice(first.length, end)].reverse()
}
