/** A remark about a place of a JSON value. */
export interface JsonMark {
  /** JSON pointer: `/components/0/content`; empty for the whole value. */
  readonly pointer: string
  readonly kind: 'violation' | 'advice' | 'damage'
  readonly text: string
}

/** A mark at the place where it is shown. */
export interface PlacedMark extends JsonMark {
  /** The name of a member that is missing below this place: `value`; undefined: the mark is about the place itself. */
  readonly missing: string | undefined
}

/** Returns the pointer of a member: `/a~1b` for the member `a/b` of the whole value. */
export function memberPointer(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Places each mark at the value that its pointer names, or at the nearest value above one that is missing. */
export function placeMarks(value: unknown, marks: readonly JsonMark[]): Map<string, PlacedMark[]> {
  const placed = new Map<string, PlacedMark[]>()
  for (const mark of marks) {
    const { pointer, missing } = findPlace(value, mark.pointer)
    placed.set(pointer, [...(placed.get(pointer) ?? []), { ...mark, missing }])
  }
  return placed
}

function findPlace(value: unknown, pointer: string): { pointer: string; missing: string | undefined } {
  const names = pointer.split('/').slice(1).map(unescapeName)
  let current = value
  let reached = ''
  for (const [index, name] of names.entries()) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
      return { pointer: reached, missing: names.slice(index).join('/') }
    current = (current as Record<string, unknown>)[name]
    reached = memberPointer(reached, name)
  }
  return { pointer: reached, missing: undefined }
}

/** Replaces the escapes of a JSON pointer in one of its names. */
export const unescapeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')
