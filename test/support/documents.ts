import { readFileSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { JsonObject } from '../../src/base/core/json.ts'
import { bundledContract, bundledFixtures } from '../../src/service/fixtures/bundled.ts'
import { type OnFinished, tempFolder } from './temp-folder.ts'

/** Writes the bundled document with one passage replaced, and returns the path of the new file. */
export async function documentWith(from: string, to: string): Promise<string> {
  const text = readFileSync(bundledContract, 'utf8')
  if (!text.includes(from)) throw new Error(`the document does not contain ${from}`)
  return writeDocument(text.replace(from, () => to))
}

/** Writes the bundled document with additional paths, and returns the path of the new file. */
export async function documentWithPaths(paths: JsonObject, onFinished?: OnFinished): Promise<string> {
  const document = parse(readFileSync(bundledContract, 'utf8'))
  Object.assign(document.paths, paths)
  return writeDocument(stringify(document), onFinished)
}

/** Writes the bundled document with only these paths, and returns the path of the new file. */
export async function documentOfPaths(...paths: readonly string[]): Promise<string> {
  const document = parse(readFileSync(bundledContract, 'utf8'))
  document.paths = Object.fromEntries(paths.map((path) => [path, document.paths[path]]))
  return writeDocument(stringify(document))
}

async function writeDocument(text: string, onFinished?: OnFinished): Promise<string> {
  const file = join(await tempFolder(onFinished), 'contract.yaml')
  await writeFile(file, text)
  return file
}

/** Copies the bundled fixtures with one passage of a file replaced, and returns the path of the new folder. */
export async function fixturesWith(name: string, from: string, to: string): Promise<string> {
  const folder = join(await tempFolder(), 'fixtures')
  await cp(bundledFixtures, folder, { recursive: true })
  const file = join(folder, name)
  const text = await readFile(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${name} does not contain ${from}`)
  await writeFile(
    file,
    text.replace(from, () => to),
  )
  return folder
}
