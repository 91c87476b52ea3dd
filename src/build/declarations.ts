/**
 * Rolls declaration files up into one file. Existing tools need a TypeScript before 7, or Node 22. This one relies on
 * unique names of exported types, which a test of the architecture checks, and throws on syntax that it cannot roll up.
 */
import { posix } from 'node:path'
import {
  type Declaration,
  type ExportNamedDeclaration,
  type Expression,
  type ImportDeclaration,
  type Program,
  parseSync,
  type TSTypeName,
  Visitor,
} from 'oxc-parser'

/** A parsed declaration file. */
interface DeclarationFile {
  /** The declarations with the comments above them, by name. */
  readonly declarations: Map<string, string>
  /** The module of each name that the file imports or re-exports: `./setting.ts`. */
  readonly modules: Map<string, string>
  /** The names that the file exports. */
  readonly exported: readonly string[]
}

/** The modules from which a roll-up imports types in place of declaring them, because its users have these modules. */
interface AvailableModules {
  /** The libraries: `vitest`. */
  readonly libraries: readonly string[]
  /** Another roll-up of this package, and the names that it exports; undefined for the main roll-up. */
  readonly own: { readonly module: string; readonly names: ReadonlySet<string> } | undefined
}

/**
 * Returns one text with the declarations that the entry exports, and all that these need. `read` returns the text of a
 * file. `only`, if given, is the export that becomes the module itself: `export = NAME`.
 */
export function rollUpDeclarations(
  entry: string,
  read: (file: string) => string,
  available: AvailableModules = { libraries: [], own: undefined },
  only?: string,
): string {
  const files = new Map<string, DeclarationFile>()
  const open = (file: string): DeclarationFile => {
    const opened = files.get(file) ?? parseDeclarations(file, read(file))
    files.set(file, opened)
    return opened
  }
  const collected = new Map<string, { readonly file: string; readonly text: string }>()
  const imports = new Map<string, string>()
  const collect = (file: string, name: string): void => {
    const { declarations, modules } = open(file)
    const module = modules.get(name)
    const source = findAvailable(available, name, module)
    if (source !== undefined) {
      imports.set(name, source)
      return
    }
    if (module !== undefined) {
      collect(resolveModule(file, name, module), name)
      return
    }
    const text = declarations.get(name)
    const other = collected.get(name)
    // A name that no file declares is a type parameter, or a type of the language.
    if (text === undefined || other?.file === file) return
    if (other) throw new Error(`${name} is declared in ${other.file} and in ${file}: rename one of the two`)
    collected.set(name, { file, text })
    for (const reference of referencesOf(text)) collect(file, reference)
  }
  const exported = only === undefined ? open(entry).exported : [only]
  for (const name of exported) collect(entry, name)
  const texts = Array.from(collected.values(), ({ text }) => text)
  const importLines = Array.from(imports, ([name, module]) => `import type { ${name} } from '${module}';`)
  const exportLine = only === undefined ? `export { ${exported.join(', ')} };` : `export = ${only};`
  return `${[...importLines, ...texts, exportLine].join('\n')}\n`
}

/** Returns the names that a file exports. */
export function namesExportedBy(file: string, read: (file: string) => string): ReadonlySet<string> {
  return new Set(parseDeclarations(file, read(file)).exported)
}

/**
 * Returns the available module to import a name from, or undefined if the name must be declared. `module` is the module
 * from which the file itself takes the name, if it does.
 */
function findAvailable(
  { libraries, own }: AvailableModules,
  name: string,
  module: string | undefined,
): string | undefined {
  if (own?.names.has(name)) return own.module
  return module !== undefined && libraries.includes(module) ? module : undefined
}

function parseDeclarations(file: string, text: string): DeclarationFile {
  const declarations = new Map<string, string>()
  const modules = new Map<string, string>()
  const exported = new Set<string>()
  let end = 0
  for (const statement of parseSync(file, text).program.body) {
    const comment = lastCommentOf(text.slice(end, statement.start))
    end = statement.end
    if ('source' in statement && statement.source) {
      const names = namesOfSpecifiers(file, statement)
      for (const name of names) modules.set(name, statement.source.value)
      addExported(exported, statement, names)
      continue
    }
    const declaration = declarationOf(statement)
    if (!declaration) continue // `export {}`
    const code = `${comment}\n${text.slice(declaration.start, declaration.end)}`.trim()
    const names = namesOf(file, declaration)
    for (const name of names) addOverload(declarations, name, code)
    addExported(exported, statement, names)
  }
  return { declarations, modules, exported: [...exported] }
}

function addExported(exported: Set<string>, { type }: Program['body'][number], names: readonly string[]): void {
  if (type === 'ExportNamedDeclaration') for (const name of names) exported.add(name)
}

/** Returns the last doc comment in the text between two statements, or ''. An earlier one describes the whole file. */
function lastCommentOf(text: string): string {
  const at = text.lastIndexOf('/**')
  return at < 0 ? '' : text.slice(at).trim()
}

/** Returns the declaration in a statement, without `export`; null for `export {}`. */
const declarationOf = (statement: Program['body'][number]) =>
  'declaration' in statement ? statement.declaration : statement

/** Adds a declaration after the earlier ones of the same name, which are its overloads. */
function addOverload(declarations: Map<string, string>, name: string, code: string): void {
  const former = declarations.get(name)
  declarations.set(name, former === undefined ? code : `${former}\n${code}`)
}

/** Returns the names that a statement imports, or exports from another file. */
function namesOfSpecifiers(file: string, statement: Program['body'][number]): string[] {
  if (statement.type === 'ExportAllDeclaration') throw new Error(`${file} exports all of a file: export by name`)
  // Of the other statements, only these two have a source.
  const { specifiers } = statement as ImportDeclaration | ExportNamedDeclaration
  return (specifiers ?? []).map((specifier) => {
    const [from, to] =
      specifier.type === 'ImportSpecifier'
        ? [specifier.imported, specifier.local]
        : specifier.type === 'ExportSpecifier'
          ? [specifier.local, specifier.exported]
          : []
    if (from?.type !== 'Identifier' || to?.type !== 'Identifier' || from.name !== to.name)
      throw new Error(`${file} renames an import or imports all of a file: import by name`)
    return to.name
  })
}

/** Returns the names of a declaration. */
function namesOf(file: string, declaration: { readonly type: string }): string[] {
  const known = declaration as Declaration
  const ids = known.type === 'VariableDeclaration' ? known.declarations.map(({ id }) => id) : [known.id]
  return ids.map((id) => {
    if (id?.type !== 'Identifier') throw new Error(`${file} has a declaration without a name`)
    return id.name
  })
}

/** Returns the declaration file of a module. Throws for a library, since the package installs none. */
function resolveModule(file: string, name: string, module: string): string {
  if (!module.startsWith('.')) throw new Error(`${file} takes ${name} from ${module}, which users lack`)
  return posix.join(posix.dirname(file), module.replace(/\.ts$/, '.d.ts'))
}

/** Returns the names to which the types in the text of a declaration refer. */
function referencesOf(text: string): readonly string[] {
  const names: string[] = []
  const add = (node: { readonly type: string }): void => {
    const known = node as Expression | TSTypeName
    if (known.type === 'Identifier') names.push(known.name)
    else if (known.type === 'TSQualifiedName') add(known.left)
  }
  new Visitor({
    TSTypeReference: ({ typeName }) => add(typeName),
    TSImportType: ({ source }) => {
      if (source.value.startsWith('.'))
        throw new Error(`A type is inferred from ${source.value}: write it down where it is exported`)
    },
    TSTypeQuery: ({ exprName }) => add(exprName),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    TSClassImplements: ({ expression }) => add(expression),
    ClassDeclaration: ({ superClass }) => superClass && add(superClass),
  }).visit(parseSync('declaration.d.ts', text).program)
  return names
}
