import { groupBy } from '../../base/core/group-by.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import type { Operation, OperationMatch } from './contract.ts'

/** A segment of a path template: a fixed text, or parameters with fixed texts around and between them. */
type Segment = string | MixedSegment

/** The segment `v{major}.{minor}`: its texts are `v`, `.` and the empty text, one more than its names. */
interface MixedSegment {
  readonly texts: readonly string[]
  readonly names: readonly string[]
}

interface PathTemplate {
  readonly path: string
  readonly segments: readonly Segment[]
  readonly operations: ReadonlyMap<string, Operation>
}

/**
 * Creates the matcher of a document's paths under its base path. If several templates match, the first concrete segment
 * decides, as OpenAPI demands: `/models/mine` wins over `/models/{modelId}`, even if only the latter has the method.
 */
export function createMatcher(
  basePath: string,
  operations: readonly Operation[],
): (method: string, path: string) => OperationMatch {
  const templates = indexBySegments(operations)
  return (method, path) => {
    const isInsideBase = path === basePath || path.startsWith(`${basePath}/`)
    const segments = decodePath(isInsideBase ? path.slice(basePath.length) : path)
    if (!segments.ok) return { kind: 'malformed', reason: segments.error }
    const found = findTemplate(templates.get(segments.value.length) ?? [], segments.value)
    if (!isInsideBase) return { kind: 'outside-base', isBaseMissing: found !== undefined }
    if (found === undefined) return { kind: 'unknown-path' }
    const operation = found.template.operations.get(method)
    if (operation !== undefined) return { kind: 'operation', operation, path: found.values }
    const allowed = [...found.template.operations.keys()].sort()
    return { kind: 'wrong-method', path: found.template.path, allowed }
  }
}

/** Returns the templates by their number of segments, the most concrete ones first. */
function indexBySegments(operations: readonly Operation[]): Map<number, PathTemplate[]> {
  const byPath = groupBy(operations, ({ path }) => path)
  const templates = [...byPath].map(([path, list]) => ({
    path,
    segments: path.split('/').slice(1).map(parseSegment),
    operations: new Map(list.map((operation) => [operation.method, operation])),
  }))
  const index = groupBy(templates, ({ segments }) => segments.length)
  for (const group of index.values()) group.sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
  return index
}

/** Returns a text with a digit per segment, smallest for the most concrete template: `00` for `/models/mine`. */
function sortKeyOf({ segments }: PathTemplate): string {
  const rankOf = ({ texts }: MixedSegment) => (texts.join('') === '' && texts.length === 2 ? '2' : '1')
  return segments.map((segment) => (typeof segment === 'string' ? '0' : rankOf(segment))).join('')
}

function parseSegment(segment: string): Segment {
  const parts = segment.split(/\{([^{}]*)\}/) // texts and names in turn
  const [texts, names] = [0, 1].map((first) => parts.filter((_, index) => index % 2 === first))
  return texts && names?.length ? { texts, names } : segment
}

/** Returns the decoded segments of a path. An encoded slash stays within its segment. */
function decodePath(path: string): Result<string[]> {
  const segments = splitPath(path)
  if (!path.includes('%')) return success(segments)
  for (const [index, segment] of segments.entries()) {
    try {
      segments[index] = decodeURIComponent(segment)
    } catch {
      return failure(`"${segment}" is not valid percent-encoding; write a percent sign as %25`)
    }
  }
  return success(segments)
}

/** Returns the segments after each slash. `split` takes twice as long for a text that V8 has not seen before. */
function splitPath(path: string): string[] {
  const segments: string[] = []
  let end = path.indexOf('/')
  while (end >= 0) {
    const start = end + 1
    end = path.indexOf('/', start)
    segments.push(end < 0 ? path.slice(start) : path.slice(start, end))
  }
  return segments
}

function findTemplate(
  templates: readonly PathTemplate[],
  segments: readonly string[],
): { template: PathTemplate; values: Record<string, string> } | undefined {
  for (const template of templates) {
    const values = matchTemplate(template.segments, segments)
    if (values !== undefined) return { template, values }
  }
  return undefined
}

/** Returns the parameters of a path, each at least one character long; undefined if the template does not match. */
function matchTemplate(template: readonly Segment[], segments: readonly string[]): Record<string, string> | undefined {
  const values: Record<string, string> = {}
  const matchesAll = template.every((expected, index) => matchSegment(expected, segments[index] ?? '', values))
  return matchesAll ? values : undefined
}

/** Matches a segment and adds its parameters to `values`; returns false if the segment does not match. */
function matchSegment(expected: Segment, segment: string, values: Record<string, string>): boolean {
  if (typeof expected === 'string') return expected === segment
  const parts = splitMixed(expected.texts, segment)
  for (const [position, name] of expected.names.entries()) values[name] = parts?.[position] ?? ''
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
