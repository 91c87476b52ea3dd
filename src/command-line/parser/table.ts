import { Help } from 'commander'

/** The width of help and lists, in columns. Terminals are usually at least this wide. */
const columns = 80

const helper = Object.assign(new Help(), { helpWidth: columns })

/** Formats a row with a name and its text, wrapped at 80 columns. `width` is the width of the name column. */
export const formatTableRow = (name: string, width: number, text: string): string =>
  helper.formatItem(name, width, text, helper)

export const wrapText = (text: string): string => helper.boxWrap(text, columns)
