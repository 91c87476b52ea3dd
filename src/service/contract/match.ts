import { groupBy } from '../../base/core/group-by.ts'
import { LruCache } from '../../base/core/memoize.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import type { Contract } from './contract.ts'
import { anonymousPath, type Operation, parameterNames } from './operation.ts'

/** The literal text around the parameters of a segment: `v`, `.` and an empty string for `v{major}.{minor}`. */
type Segment = readonly string[]

interface PathTemplate {
  readonly path: string
  readonly segments: readonly Segment[]
  /** The operations by method, each with the names of its path parameters. */
  readonly operations: ReadonlyMap<string, readonly [Operation, names: readonly string[]]>
}

/**
 * Creates a matcher for a document's paths under their base paths. The longest base path with a match wins. If several
 * templates match, the first segment in which they differ decides. Concrete text wins, as OpenAPI requires:
 * `/models/mine` wins over `/models/{modelId}`, even if only `/models/{modelId}` has an operation for the method.
 */
export function createMatcher(basePath: string, operations: readonly Operation[]): Contract['match'] {
  const bases = [...groupBy(operations, (operation) => operation.basePath)]
    .map(([base, list]) => ({ base, depth: base.split('/').length - 1, templates: listTemplates(list) }))
    .sort((a, b) => b.base.length - a.base.length)
  const belowRoot = bases.filter(({ base }) => base === basePath).map((base) => ({ ...base, depth: 0 }))
  const match: Contract['match'] = (method, path) => {
    const matchingBases = bases.filter(({ base }) => path === base || path.startsWith(`${base}/`))
    const segments = decodePath(path)
    if (!segments.ok) return { kind: 'malformed', reason: segments.error }
    const found = findTemplate(matchingBases.length > 0 ? matchingBases : belowRoot, segments.value)
    if (matchingBases.length === 0) return { kind: 'outside-base', isBaseMissing: found !== undefined }
    if (found === undefined) return { kind: 'unknown-path' }
    const { template, values } = found
    const entry = template.operations.get(method)
    if (entry === undefined)
      return { kind: 'wrong-method', path: template.path, allowed: [...template.operations.keys()].sort() }
    const [operation, names] = entry
    const pathParameters = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
    return { kind: 'operation', operation, pathParameters }
  }
  const matches = new LruCache<ReturnType<typeof match>>(100) // uncached, matching takes 3% of a GET's time
  return (method, path) => matches.get(`${method} ${path}`, () => match(method, path))
}

/** Returns the path templates. Of templates with the same number of segments, the most concrete come first. */
function listTemplates(operations: readonly Operation[]): PathTemplate[] {
  const templates = [...groupBy(operations, ({ path }) => anonymousPath(path))].map(([path, list]) => ({
    path: list[0]?.path ?? path,
    segments: (list[0]?.path ?? path).split('/').slice(1).map(parseSegment),
    operations: new Map(list.map((each) => [each.method, [each, parameterNames(each.path)] as const])),
  }))
  return templates.sort(compareTemplates)
}

function compareTemplates({ segments }: PathTemplate, other: PathTemplate): number {
  if (segments.length !== other.segments.length) return segments.length - other.segments.length
  const ranks = segments.map((literals, at) => rankOf(literals) - rankOf(other.segments[at] ?? ['']))
  return ranks.find((rank) => rank !== 0) ?? 0
}

/** Ranks a segment: concrete before mixed, `{name}.json` before `{name}.{type}`, and a lone parameter last. */
function rankOf(literals: Segment): number {
  const fixed = literals.join('').length
  if (literals.length === 1) return 0
  return literals.length === 2 && fixed === 0 ? Number.MAX_SAFE_INTEGER : literals.length - fixed / (fixed + 1)
}

const parseSegment = (segment: string): Segment => segment.split(/\{[^{}]*\}/).map(decode)

/** Decodes literal text in a template as in a request path, so that percent-encoded text matches plain text. */
function decode(text: string): string {
  const decoded = decodePath(`/${text}`)
  return decoded.ok ? decoded.value.join('/') : text
}

function decodePath(path: string): Result<string[]> {
  const segments = path.split('/').slice(1)
  if (!path.includes('%')) return success(segments)
  const decoded: string[] = []
  for (const segment of segments) {
    try {
      decoded.push(decodeURIComponent(segment))
    } catch {
      return failure(`"${segment}" is not valid percent-encoding; write a percent sign as %25.`)
    }
  }
  return success(decoded)
}

/** Finds the first matching template and the values of its parameters. A parameter never matches empty text. */
function findTemplate(
  bases: readonly { depth: number; templates: readonly PathTemplate[] }[],
  path: readonly string[],
) {
  for (const { depth, templates } of bases) {
    const segments = path.slice(depth)
    for (const template of templates.filter((candidate) => candidate.segments.length === segments.length)) {
      const values: string[] = []
      const isMatch = template.segments.every((literals, index) => {
        const parts = matchSegment(literals, segments[index] ?? '')
        values.push(...(parts ?? []))
        return parts !== undefined
      })
      if (isMatch) return { template, values }
    }
  }
  return undefined
}

function matchSegment(literals: Segment, segment: string): string[] | undefined {
  if (literals.length > 1) return splitMixed(literals, segment)
  return segment === literals[0] ? [] : undefined
}

/**
 * Returns the parameter values between the literal parts, or undefined if the segment does not match. Splits from the
 * end: `{name}.{extension}` splits `a.b.txt` at the last dot. The greedy regular expression `(.+)\.(.+)` would do the
 * same, but such regular expressions can take polynomial time.
 */
function splitMixed(literals: Segment, segment: string): string[] | undefined {
  const first = literals[0] ?? ''
  const last = literals.at(-1) ?? ''
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined
  const parts: string[] = []
  let end = segment.length - last.length
  for (const before of literals.slice(1, -1).reverse()) {
    const from = end - 1 - before.length // leaves at least one character for the parameter
    const at = from < first.length ? -1 : segment.lastIndexOf(before, from)
    if (at < first.length) return undefined
    parts.push(segment.slice(at + before.length, end))
    end = at
  }
  if (end <= first.length) return undefined
  return [...parts, segment.slice(first.length, end)].reverse()
}
