import { isObject } from '../core/json.ts'

/** Something wrong, and where: `events[3].impact` and `must be a number from -1 to 1`. */
export interface ShapeFault {
  readonly at: string
  readonly must: string
}

/** Names what is wrong with a value; nothing where it is right. */
export type Check = (value: unknown) => readonly ShapeFault[]

const NONE: readonly ShapeFault[] = []

/** A value for which `holds`; `must` completes the sentence "it ...". */
export function where(must: string, holds: (value: unknown) => boolean): Check {
  const faults = [{ at: '', must }]
  return (value) => (holds(value) ? NONE : faults)
}

export const text = where('must be a string', (value) => typeof value === 'string')
export const flag = where('must be true or false', (value) => typeof value === 'boolean')
export const count = where(
  'must be a whole number, 0 or more',
  (value) => Number.isInteger(value) && Number(value) >= 0,
)

export function between(low: number, high: number): Check {
  return where(
    `must be a number from ${low} to ${high}`,
    (value) => typeof value === 'number' && value >= low && value <= high,
  )
}

export function oneOf(...allowed: readonly unknown[]): Check {
  const list = allowed.map((value) => JSON.stringify(value)).join(', ')
  return where(allowed.length === 1 ? `must be ${list}` : `must be one of ${list}`, (value) =>
    allowed.includes(value),
  )
}

/** A member that may be missing. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? NONE : check(value))
}

/** An object with at least these members; what else it holds is left alone. */
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

/** As many faults of one list are named; somebody who has that many has the wrong file. */
const ENOUGH = 20

export function list(item: Check): Check {
  const noList = [{ at: '', must: 'must be a list' }]
  return (value) => {
    if (!Array.isArray(value)) return noList
    let faults = NONE
    for (let index = 0; index < value.length && faults.length < ENOUGH; index += 1) {
      const found = item(value[index])
      if (found.length > 0) faults = [...faults, ...found.map((fault) => inside(`[${index}]`, fault))]
    }
    return faults
  }
}

/** First the one, and only where that finds nothing the other, which may rely on it. */
export function both(first: Check, second: Check): Check {
  return (value) => {
    const faults = first(value)
    return faults.length > 0 ? faults : second(value)
  }
}

function inside(place: string, { at, must }: ShapeFault): ShapeFault {
  return { at: `${place}${at}`, must }
}

/** As sentences: `events[3].impact must be a number from -1 to 1`. */
export function sentences(faults: readonly ShapeFault[], whole: string): string[] {
  return faults.map(({ at, must }) => `${at === '' ? whole : at.replace(/^\./, '')} ${must}`)
}
