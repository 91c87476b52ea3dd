/** One setting: how it is written, what holds where it is not given, and how its text is read. */
export interface Setting<T> {
  /** Without dashes: `max-analyses-per-hour`. The environment variable is `SIM_MAX_ANALYSES_PER_HOUR`. */
  readonly flag: string
  readonly short?: string
  /** Other environment variables that are understood, e.g. `PORT`; `SIM_...` goes first. */
  readonly alsoEnv?: string
  /** What stands for the value in help; undefined for an on/off switch. */
  readonly value: string | undefined
  readonly default: T
  /** How the default is written where `String(default)` would not tell. */
  readonly defaultText?: string
  readonly description: string
  /** True where the flag may be given several times; its values are joined with commas. */
  readonly repeatable?: boolean
  /** The value, or undefined where the text is none. */
  readonly read: (text: string) => T | undefined
  /** What would be right, for the error. */
  readonly expected: string
}

interface SettingOptions {
  readonly flag: string
  readonly description: string
  readonly short?: string
  readonly alsoEnv?: string
  readonly value?: string
  readonly defaultText?: string
  readonly repeatable?: boolean
}

export function integer<T extends number | undefined>(
  words: SettingOptions & { default: T; min: number; max: number },
): Setting<number | T> {
  const { min, max } = words
  return {
    value: 'N',
    ...words,
    expected: `a whole number from ${min} to ${max}`,
    read: (text) =>
      /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  }
}

export function text<T extends string | undefined>(
  words: SettingOptions & { default: T; test?: (text: string) => boolean; expected?: string },
): Setting<string | T> {
  const { test = (text) => text !== '' } = words
  return {
    value: 'TEXT',
    expected: 'text that is not empty',
    ...words,
    read: (text) => (test(text) ? text : undefined),
  }
}

export function choice<T extends string>(
  words: SettingOptions & { default: T; of: readonly T[] },
): Setting<T> {
  return {
    ...words,
    value: words.of.join('|'),
    expected: words.of.join(' or '),
    read: (text) => words.of.find((one) => one === text),
  }
}

const switchWords = new Map([
  ['true', true],
  ['on', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['off', false],
  ['0', false],
  ['no', false],
])

export function boolean(words: SettingOptions & { default: boolean }): Setting<boolean> {
  return {
    ...words,
    value: undefined,
    defaultText: words.default ? 'on' : 'off',
    expected: 'true or false (on, off, 1, 0, yes, no)',
    read: (text) => switchWords.get(text.toLowerCase()),
  }
}
