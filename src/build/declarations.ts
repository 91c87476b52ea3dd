/** Writes the declarations for the modules that users import. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Setting } from '../server/settings/setting.ts'
import { formatDefault, serverSettings } from '../server/settings/settings.ts'
import { nameInCode } from '../server/simulator/start.ts'
import { modules } from './modules.ts'

/**
 * Copies the entry points' declarations, and the declarations that these import, from tsc's output to `types/`. Writes
 * one declaration file next to each entry point. All declarations are CommonJS, except those for vitest.
 */
export function writeTypes(emitted: string, dist: string): void {
  const copied = new Set<string>()
  const copy = (file: string, target = file): void => {
    if (copied.has(file)) return
    copied.add(file)
    const text = readFileSync(join(emitted, file), 'utf8').replace(/^import '.*\n/gm, '') // side-effect imports
    mkdirSync(join(dist, 'types', dirname(file)), { recursive: true })
    const isSettings = file.endsWith('/library-settings.d.ts')
    writeFileSync(join(dist, 'types', target), isSettings ? addSettingComments(text) : text)
    for (const [, path] of text.matchAll(/ from '(\..+)\.ts'/g)) copy(join(dirname(file), `${path}.d.ts`))
  }
  for (const { source, declarations, format, soleExport } of modules) {
    const extension = format === 'esm' ? 'mts' : 'ts'
    copy(`${source}.d.ts`, `${source}.d.${extension}`)
    const module = `'./types/${source}.${extension}'`
    const sole = soleExport && `import { ${soleExport} } from ${module};\nexport = ${soleExport};`
    const text = sole ?? `export * from ${module};`
    // The libraries that TypeScript loads for targets up to ES2024 do not declare `Symbol.asyncDispose`.
    writeFileSync(join(dist, declarations), `/// <reference lib="esnext.disposable" />\n${text}\n`)
  }
  writeFileSync(join(dist, 'types/package.json'), '{ "type": "commonjs" }\n')
}

export function addSettingComments(declarations: string): string {
  return declarations.replace(/const sharedDefaults: \(\) => \{[^}]*/, (members) =>
    members.replace(/^ {4}readonly (\w+):/gm, (member, name: keyof typeof serverSettings) => {
      const setting: Setting<unknown> = serverSettings[name]
      const defaultText = { port: 'any free port', state: ':memory:' }[name as string] ?? formatDefault(setting)
      return `    /** ${nameInCode(setting.description)} Default: ${defaultText}. */\n${member}`
    }),
  )
}
