import { expect, test } from 'vitest'
import { rollUpDeclarations } from '../../src/build/declarations.ts'

const rollUp = (files: Readonly<Record<string, string>>) =>
  rollUpDeclarations('index.d.ts', (file) => files[file] ?? `export {}; // there is no ${file}`)

test('declarations are rolled up with their comments and all that they need, and nothing else', () => {
  const text = rollUp({
    'index.d.ts': "export { type Report, report } from './a/report.ts';",
    'a/report.d.ts': `
import type { Unused } from 'pino';
import type { Level } from '../level.ts';
/** A report. */
export interface Report { readonly level: Level }
declare const kinds: readonly ["a"];
export declare function report(kind: (typeof kinds)[number]): Report;
export declare function other(): Unused;
`,
    'level.d.ts': "export type Level = 'low' | 'high';\nexport type Further = Level;\nexport {};",
  })
  expect(text).toBe(`/** A report. */
interface Report { readonly level: Level }
type Level = 'low' | 'high';
declare function report(kind: (typeof kinds)[number]): Report;
declare const kinds: readonly ["a"];
export { Report, report };
`)
})

test.each([
  ['A takes its type from a library', "import type { X } from 'pino'; export type A = X;", /from pino/],
  ['an import is renamed', "import type { B as X } from './b.ts'; export type A = X;", /renames an import/],
  ['an import takes all of a file', "import type * as X from './b.ts'; export type A = X.B;", /by name/],
  ['a type is inferred', "export type A = import('./b.ts').C;", /inferred from \.\/b\.ts/],
  [
    'two files declare a name',
    "import type { C } from './b.ts'; type B = 1; export type A = B | C;",
    /B is declared in/,
  ],
])('nothing is rolled up if %s', (_fault, text, message) => {
  const files = {
    'index.d.ts': "export { type A } from './a.ts';",
    'a.d.ts': text,
    'b.d.ts': 'export type B = 2; export type C = B;',
  }
  expect(() => rollUp(files)).toThrow(message)
})
