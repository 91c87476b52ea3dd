import overlaySchema from '../../../spec/overlay.schema.json' with { type: 'json' }
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Violation } from '../core/violation.ts'
import { errorAt, type Finding, type Findings } from './finding.ts'
import { parseJsonPath } from './json-path.ts'
import type { Overlay, OverlayAction } from './overlay.ts'
import { readSource } from './read-source.ts'
import type { Source } from './source.ts'

/** Reads and checks an overlay (YAML or JSON). The error has a finding with its line for each fault. */
export async function readOverlay(file: string): Promise<Result<Overlay, Findings>> {
  const source = await readSource(file)
  return source.ok ? checkOverlay(source.value) : source
}

/** Checks an overlay that was read, as `readOverlay` does. */
export async function checkOverlay(source: Source): Promise<Result<Overlay, Findings>> {
  const { value } = source
  if (!isOverlay(value))
    return failure([errorAt(source.place(''), 'is no OpenAPI Overlay: "overlay: 1.1.0" is expected at its top')])
  const { compileSchema } = await import('./schema.ts')
  const violations = compileSchema(overlaySchema, 'overlay')(value)
  if (violations.length > 0) return failure(violations.map((violation) => createOverlayFinding(violation, source)))
  const actions = Array.isArray(value.actions) ? value.actions : []
  const isOld = String(value.overlay).startsWith('1.0.')
  const read = actions.map((action, index) => readAction(action, joinPointer('/actions', index), source, isOld))
  const findings = read.flatMap((each) => (each.ok ? [] : each.error))
  if (findings.length > 0) return failure(findings)
  return success({ source, actions: read.flatMap((each) => (each.ok ? [each.value] : [])) })
}

/** Returns true for a value that was meant as an overlay. */
export function isOverlay(value: Json): value is JsonObject {
  return isObject(value) && 'overlay' in value
}

function createOverlayFinding({ pointer, message }: Violation, source: Source): Finding {
  const sentence =
    pointer === '/overlay'
      ? 'has a version that is not understood: 1.0.0 and 1.1.0 are'
      : `is not valid in an overlay: ${pointer || 'the file'} ${message}`
  return errorAt(source.place(pointer), sentence)
}

function readAction(action: Json, pointer: string, source: Source, isOld: boolean): Result<OverlayAction, Findings> {
  const { target, update, copy, remove } = isObject(action) ? action : {}
  const fail = (member: string, message: string) =>
    failure<Findings>([errorAt(source.place(joinPointer(pointer, member)), message)])
  const parsed = parseJsonPath(String(target))
  if (!parsed.ok) return fail('target', `is no JSONPath: ${parsed.error}`)
  const common = { pointer, target: parsed.value, changesPrimitives: !isOld }
  if (remove === true) return success({ ...common, change: { kind: 'remove' } })
  if (copy !== undefined && update !== undefined) return fail('copy', 'cannot stand beside "update": use one')
  if (update !== undefined) return success({ ...common, change: { kind: 'update', value: update } })
  if (copy === undefined) return fail('target', 'has nothing to do: add "update", "copy" or "remove: true"')
  if (isOld) return fail('copy', 'needs "overlay: 1.1.0" at the top; 1.0 has no "copy"')
  const from = parseJsonPath(String(copy))
  if (!from.ok) return fail('copy', `is no JSONPath: ${from.error}`)
  return success({ ...common, change: { kind: 'copy', from: from.value } })
}
