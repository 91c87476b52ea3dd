import { Help } from 'commander'

/** The columns of help and lists, which every terminal has. */
const columns = 80

const helper = Object.assign(new Help(), { helpWidth: columns })

/** Returns a name with its text beside it, which is wrapped within 80 columns. `width`: that of all names. */
export const formatTableRow = (name: string, width: number, text: string): string =>
  helper.formatItem(name, width, text, helper)

export const wrapText = (text: string): string => helper.boxWrap(text, columns)
