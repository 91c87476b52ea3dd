import { parseDuration } from '../../base/core/instant.ts'
import { findNearest } from '../../base/core/text.ts'

/** A setting: its default, its description, and its parser. The flag is derived from the key in a `SettingTable`. */
export interface Setting<T> {
  /** A one-letter flag: `p`. */
  readonly short?: string
  /** An additional environment variable, such as `PORT`; `CONVSIM_...` takes precedence. */
  readonly alsoEnv?: string | undefined
  /** Returns true if a value of `alsoEnv` is meant for convsim, not another program. Absent if all values are used. */
  readonly isForConvsim?: (text: string) => boolean
  /** The placeholder for the value in help: `N`; undefined for an on/off flag. */
  readonly value: string | undefined
  readonly default: T
  /** The default as shown in help, if it differs from the default itself. */
  readonly defaultText?: string
  readonly description: string
  /** True if the flag can be specified several times; the values are joined with commas. */
  readonly repeatable?: boolean
  /** The files that a value names, and whether they are written; undefined if values do not name files. */
  readonly files?: SettingFiles
  /** Parses the text of a value. Returns undefined if the text is invalid. */
  readonly read: (text: string) => T | undefined
  readonly expected: string
  /** Describes, without a final period, a mistake that `expected` does not explain; undefined for other mistakes. */
  readonly explain?: (text: string) => string | undefined
  /** The valid names, if they are a fixed list. For a misspelled name, the nearest valid name is suggested. */
  readonly names?: readonly string[]
}

export interface SettingFiles {
  readonly areWritten: boolean
  /** Returns the paths that a value, or the default, names. A trailing slash means a folder with all its files. */
  readonly list: (value: string | undefined) => readonly string[]
}

const listOne = (value: string | undefined) => (value === undefined ? [] : [value])

export const inputFile: SettingFiles = { areWritten: false, list: listOne }

export const outputFile: SettingFiles = { areWritten: true, list: listOne }

/** Describes why a setting does not accept a value. `source` is the flag or variable that the value came from. */
export function describeWrongValue(setting: Setting<unknown>, source: string, given: string): string {
  const { expected, explain, names = [] } = setting
  const mistake = explain?.(given)
  if (mistake !== undefined) return `${source}: ${mistake}.`
  const parts = given.split(',').map((part) => part.trim())
  const nearest = parts
    .filter((part) => !names.includes(part))
    .map((part) => findNearest(part, names))
    .find((name) => name !== undefined)
  const guess = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  return `${source} takes ${expected}; got "${given}".${guess}`
}

/** The options that all kinds of settings have in common. */
type SettingOptions = Omit<Setting<unknown>, 'default' | 'value' | 'read' | 'expected'> & {
  readonly value?: string
}

export function integer<T extends number | undefined = undefined>(
  options: SettingOptions & { default?: T; min: number; max: number },
): Setting<number | T> {
  const { min, max } = options
  return {
    value: 'N',
    default: undefined as T, // undefined unless the options have a default
    ...options,
    expected: `a whole number from ${min} to ${max}`,
    read: (text) => (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
  }
}

/** Creates a setting for text that passes `test`; by default, any text that is not empty. */
export function text<T extends string | undefined = undefined>(
  options: SettingOptions & { default?: T; test?: (text: string) => boolean; expected?: string },
): Setting<string | T> {
  const { test = (text) => text !== '' } = options
  return {
    value: 'TEXT',
    default: undefined as T, // undefined unless the options have a default
    expected: 'text that is not empty',
    ...options,
    read: (text) => (test(text) ? text : undefined),
  }
}

/** Returns true for a duration that Node's timers support: timers above 2^31 - 1 ms (24.8 days) fire immediately. */
export const isDelay = (text: string) => (parseDuration(text) ?? Number.POSITIVE_INFINITY) < 2 ** 31

/** Creates a setting for a positive duration, such as `500ms`. */
export const duration = <T extends string | undefined = undefined>(options: SettingOptions & { default?: T }) =>
  text<T>({
    value: 'DURATION',
    test: (given) => isDelay(given) && parseDuration(given) !== 0,
    expected: 'a positive duration of at most 24 days, such as 500ms, 30s or 2m',
    ...options,
  })

/** Joins names for a sentence: `text, json or github`. */
export const joinNames = (names: readonly string[], word: 'and' | 'or') =>
  names.join(', ').replace(/, ([^,]*)$/, ` ${word} $1`)

export function choice<const T extends string>(options: SettingOptions & { default: T; of: readonly T[] }): Setting<T> {
  return {
    ...options,
    value: options.of.join('|'),
    names: options.of,
    expected: joinNames(options.of, 'or'),
    read: (text) => options.of.find((value) => value === text),
  }
}

export function boolean(options: SettingOptions & { default: boolean }): Setting<boolean> {
  return {
    ...options,
    value: undefined,
    defaultText: options.default ? 'on' : 'off',
    expected: 'true, false, on, off, 1, 0, yes or no',
    read: (text) => (/^(true|on|1|yes)$/i.test(text) ? true : /^(false|off|0|no)$/i.test(text) ? false : undefined),
  }
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>

type ValueOf<S> = S extends Setting<infer T> ? T : never

export type ValuesOf<Table extends SettingTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

/**
 * Returns the defaults of a table of settings. Because of the explicit return type, the package's type declarations
 * contain the types of the values, not the table.
 */
export function defaultsOf<Table extends SettingTable>(
  table: Table,
): { readonly [Name in keyof Table]: ValueOf<Table[Name]> } {
  const defaults = Object.entries(table).map(([name, setting]) => [name, setting.default])
  return Object.fromEntries(defaults) // every default has the type of its setting
}

export function pickSettings<Table extends SettingTable, Name extends keyof Table>(
  table: Table,
  ...names: Name[]
): Pick<Table, Name> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name> // one entry for each name
}

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Returns the comma-separated parts of a setting's value, or an empty list for undefined. */
export function splitList(list = ''): string[] {
  const parts = list.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

/** The flag or variable that each value came from: `--port`, `CONVSIM_STATE`; an empty string for a default. */
export type SettingSources = ReadonlyMap<string, string>
