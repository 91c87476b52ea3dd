import { isObject } from '../core/json.ts'

/** A fault of a value with its place: `events[3].impact` and `must be a number from -1 to 1`. */
export interface ShapeFault {
  readonly at: string
  readonly must: string
}

/** A check returns the faults of a value. Empty: the value is valid. */
export type Check = (value: unknown) => readonly ShapeFault[]

const NONE: readonly ShapeFault[] = []

/** Creates a check for a condition; `must` completes the sentence that begins with the place. */
export function where(must: string, holds: (value: unknown) => boolean): Check {
  const faults = [{ at: '', must }]
  return (value) => (holds(value) ? NONE : faults)
}

/** A check for a string. */
export const text = where('must be a string', (value) => typeof value === 'string')
/** A check for a boolean. */
export const flag = where('must be true or false', (value) => typeof value === 'boolean')
/** A check for a whole number, 0 or more. */
export const count = where(
  'must be a whole number, 0 or more',
  (value) => Number.isInteger(value) && Number(value) >= 0,
)

/** Creates a check for a number from `low` to `high`, both included. */
export function between(low: number, high: number): Check {
  return where(
    `must be a number from ${low} to ${high}`,
    (value) => typeof value === 'number' && value >= low && value <= high,
  )
}

/** Creates a check for one of these values. */
export function oneOf(...allowed: readonly unknown[]): Check {
  const list = allowed.map((value) => JSON.stringify(value)).join(', ')
  return where(allowed.length === 1 ? `must be ${list}` : `must be one of ${list}`, (value) =>
    allowed.includes(value),
  )
}

/** Makes a check accept a missing member. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? NONE : check(value))
}

/** Creates a check for an object with these members. Other members are ignored. */
export function record(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members)
  const noObject = [{ at: '', must: 'must be an object' }]
  return (value) => {
    if (!isObject(value)) return noObject
    let faults = NONE
    for (const [name, check] of checks) {
      const found = check(value[name])
      if (found.length > 0) faults = [...faults, ...found.map((fault) => inside(`.${name}`, fault))]
    }
    return faults
  }
}

/** The number of faults after which the check of a list ends: a file with more is probably another kind of file. */
const MAX_FAULTS = 20

/** Creates a check for a list of valid items. */
export function list(item: Check): Check {
  const noList = [{ at: '', must: 'must be a list' }]
  return (value) => {
    if (!Array.isArray(value)) return noList
    let faults = NONE
    for (let index = 0; index < value.length && faults.length < MAX_FAULTS; index += 1) {
      const found = item(value[index])
      if (found.length > 0) faults = [...faults, ...found.map((fault) => inside(`[${index}]`, fault))]
    }
    return faults
  }
}

/** Creates a check that runs `second` if `first` finds no fault, so that `second` can rely on `first`. */
export function both(first: Check, second: Check): Check {
  return (value) => {
    const faults = first(value)
    return faults.length > 0 ? faults : second(value)
  }
}

function inside(place: string, { at, must }: ShapeFault): ShapeFault {
  return { at: `${place}${at}`, must }
}

/** Formats faults as sentences: `events[3].impact must be a number from -1 to 1`. `root` names the value itself. */
export function sentences(faults: readonly ShapeFault[], root: string): string[] {
  return faults.map(({ at, must }) => `${at === '' ? root : at.replace(/^\./, '')} ${must}`)
}
