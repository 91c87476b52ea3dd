import type { Operation, OperationMatch } from './contract.ts'

/** One segment of a path template: a text that must be met, one name for all of it, or a pattern with names for what it takes. */
type Segment =
  | string
  | { readonly pattern: undefined; readonly name: string }
  | { readonly pattern: RegExp; readonly names: readonly string[] }

interface Template {
  readonly path: string
  readonly segments: readonly Segment[]
  readonly operations: ReadonlyMap<string, Operation>
}

/**
 * The matcher of a document's paths under its base path. Of the templates that fit, the one whose concrete segments come
 * first wins, as OpenAPI asks, whatever methods it has.
 */
export function createMatcher(
  basePath: string,
  operations: readonly Operation[],
): (method: string, path: string) => OperationMatch {
  const templates = indexBySegments(operations)
  return (method, path) => {
    const inside = path === basePath || path.startsWith(`${basePath}/`)
    const segments = decode(inside ? path.slice(basePath.length) : path)
    if (typeof segments === 'string') return { kind: 'malformed', reason: segments }
    const found = find(templates.get(segments.length) ?? [], segments)
    if (!inside) return { kind: 'outside-base', isBaseMissing: found !== undefined }
    if (found === undefined) return { kind: 'unknown-path' }
    const operation = found.template.operations.get(method)
    if (operation !== undefined) return { kind: 'operation', operation, path: found.values }
    const allowed = [...found.template.operations.keys()].sort()
    return { kind: 'wrong-method', path: found.template.path, allowed }
  }
}

/** Templates by their number of segments, the most concrete ones first. */
function indexBySegments(operations: readonly Operation[]): Map<number, Template[]> {
  const byPath = group(operations, ({ path }) => path)
  const templates = [...byPath].map(([path, list]) => ({
    path,
    segments: path.split('/').slice(1).map(readSegment),
    operations: new Map(list.map((operation) => [operation.method, operation])),
  }))
  const index = group(templates, ({ segments }) => segments.length)
  for (const same of index.values()) same.sort((a, b) => (specificity(a) < specificity(b) ? -1 : 1))
  return index
}

function group<T, K>(things: readonly T[], keyOf: (thing: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const thing of things) {
    const same = groups.get(keyOf(thing))
    if (same === undefined) groups.set(keyOf(thing), [thing])
    else same.push(thing)
  }
  return groups
}

/** `0` for a concrete segment, `1` for one that is partly so, `2` for a free one: compared as text, from the left. */
function specificity({ segments }: Template): string {
  return segments.map((segment) => (typeof segment === 'string' ? '0' : segment.pattern ? '1' : '2')).join('')
}

function readSegment(segment: string): Segment {
  const names: string[] = []
  const source = segment
    .split(/(\{[^}]*\})/)
    .map((part) => {
      if (!/^\{.*\}$/.test(part)) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      names.push(part.slice(1, -1))
      return '(.+)'
    })
    .join('')
  const [name] = names
  if (name === undefined) return segment
  return source === '(.+)' ? { pattern: undefined, name } : { pattern: new RegExp(`^${source}$`, 's'), names }
}

/** The decoded segments of a path, or why it cannot be decoded. An encoded slash stays within its segment. */
function decode(path: string): string[] | string {
  const segments = segmentsOf(path)
  // Most paths are not encoded at all.
  if (!path.includes('%')) return segments
  for (const [index, segment] of segments.entries()) {
    try {
      segments[index] = decodeURIComponent(segment)
    } catch {
      return `"${segment}" is not valid percent-encoding; write a percent sign as %25`
    }
  }
  return segments
}

/** What stands behind each slash. Not by `split`: of a text that is new to it, the engine does that in thrice the time. */
function segmentsOf(path: string): string[] {
  const segments: string[] = []
  let end = path.indexOf('/')
  while (end >= 0) {
    const start = end + 1
    end = path.indexOf('/', start)
    segments.push(end < 0 ? path.slice(start) : path.slice(start, end))
  }
  return segments
}

function find(
  templates: readonly Template[],
  segments: readonly string[],
): { template: Template; values: Record<string, string> } | undefined {
  for (const template of templates) {
    const values = take(template.segments, segments)
    if (values !== undefined) return { template, values }
  }
  return undefined
}

/** What the named parts of a template take from a path; undefined where it does not fit. A name takes at least a character. */
function take(template: readonly Segment[], segments: readonly string[]): Record<string, string> | undefined {
  const values: Record<string, string> = {}
  for (const [index, wanted] of template.entries())
    if (!takeSegment(wanted, segments[index] ?? '', values)) return undefined
  return values
}

function takeSegment(wanted: Segment, segment: string, values: Record<string, string>): boolean {
  if (typeof wanted === 'string') return wanted === segment
  if (!wanted.pattern) {
    values[wanted.name] = segment
    return segment !== ''
  }
  const taken = wanted.pattern.exec(segment)
  for (const [position, name] of wanted.names.entries()) values[name] = taken?.[position + 1] ?? ''
  return taken !== null
}
