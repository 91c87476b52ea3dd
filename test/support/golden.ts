import { stylesheet, stylesheetSource } from '../../src/server/reports/page/stylesheet.ts'

/**
 * Runs a comparison with golden files or snapshots. If it fails, the error names the command that updates them.
 * @param files the test files as arguments to `npm test`, such as `test/server/reports`
 */
export async function compareGolden(files: string, compare: () => unknown): Promise<void> {
  try {
    await compare()
  } catch (error) {
    if (error instanceof Error)
      error.message += `. If the difference is intended, update the golden file: npm test -- ${files} -u`
    throw error
  }
}

/** Formats a value as JSON. An object or array whose JSON has at most `width` characters takes one line. */
export function inLines(value: unknown, width: number, indent = ''): string {
  const line = JSON.stringify(value)
  if (line.length <= width || typeof value !== 'object' || value === null) return line
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(([name, part]) => {
    const text = inLines(part, width, `${indent}  `)
    return isList ? `${indent}  ${text}` : `${indent}  "${name}": ${text}`
  })
  const [begin, end] = isList ? '[]' : '{}'
  return `${begin}\n${parts.join(',\n')}\n${indent}${end}`
}

const [noStyle, noSource] = ['<style></style>', "style-src '...'"] as const

/** Removes a page's stylesheet and its hash, so that style changes do not affect golden files. */
export const withoutStylesheet = (html: string): string =>
  html.replace(/<style>[\s\S]*<\/style>/, noStyle).replace(/style-src 'sha256-[^']*'/, noSource)

/** Restores the stylesheet and its hash in a golden page. */
export const withStylesheet = (html: string): string =>
  html.replace(noStyle, () => `<style>${stylesheet}</style>`).replace(noSource, () => `style-src ${stylesheetSource}`)
