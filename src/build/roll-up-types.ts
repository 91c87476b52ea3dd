import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting } from '../config/setting.ts'
import { defaultOf, serverSettings } from '../config/settings.ts'
import { namesExportedBy, rollUpDeclarations } from './declarations.ts'
import { STAMP } from './is-built.mjs'
import { declarationsOf, testingModules } from './testing.ts'

/** Rolls the declarations in a folder up into one file for each module that users import. */
export function rollUpTypes(types: string, dist: string): void {
  const read = (file: string) => readFileSync(join(types, file), 'utf8')
  const own = { module: './index.cjs', names: namesExportedBy('index.d.ts', read) }
  for (const each of testingModules) {
    const source = `testing/${each.name}.d.ts`
    const text = rollUpDeclarations(source, read, { libraries: each.libraries, own }, each.only)
    writeFileSync(join(dist, declarationsOf(each)), text)
  }
  // `Symbol.asyncDispose` is in no library that TypeScript loads for a target up to ES2024.
  const library = `/// <reference lib="esnext.disposable" />\n${rollUpDeclarations('index.d.ts', read)}`
  writeFileSync(join(dist, STAMP), addSettingComments(library))
}

/** Adds the descriptions of the settings to their members in the type of `startSimulator`, for editors. */
export function addSettingComments(declarations: string): string {
  const settings = new Map<string, Setting<unknown>>(Object.entries(serverSettings))
  return declarations.replace(/const sharedDefaults: \(\) => \{[^}]*/, (members) =>
    members.replace(/^ {4}readonly (\w+):/gm, (member, name: string) => {
      const setting = settings.get(name)
      if (!setting) throw new Error(`there is no setting ${name}`)
      const standard = { port: 'any free port', state: ':memory:' }[name] ?? defaultOf(setting)
      const text = setting.description.replace(/--([a-z][a-z-]*)/g, (_, flag: string) =>
        flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
      )
      return `    /** ${text} Default: ${standard}. */\n${member}`
    }),
  )
}
