import { parseSync, Visitor } from 'oxc-parser'
import type { SourceFile } from './source-files.ts'

/** A regular expression literal of a source file. */
export interface RegExpLiteral {
  readonly path: string
  readonly pattern: string
  readonly flags: string
}

/** Lists the regular expression literals of a file. */
export function listRegExpLiterals({ path, text }: SourceFile): RegExpLiteral[] {
  const found: RegExpLiteral[] = []
  const { program } = parseSync(path, text)
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ path, pattern: node.regex.pattern, flags: node.regex.flags })
    },
  }).visit(program)
  return found
}
