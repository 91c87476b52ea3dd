import { readFileSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { JsonObject } from '../../src/core/json.ts'
import { bundledContract, bundledFixtures } from '../../src/fixtures/bundled.ts'
import { tempFolder, type WhenOver } from './temp-folder.ts'

/** The shipped document with one passage of its text replaced, in a file of its own. */
export async function documentWith(from: string, to: string): Promise<string> {
  const text = readFileSync(bundledContract, 'utf8')
  if (!text.includes(from)) throw new Error(`the document has no ${from}`)
  return writeDocument(text.replace(from, () => to))
}

/** The shipped document with more paths, in a file of its own. */
export async function documentWithPaths(paths: JsonObject, whenOver?: WhenOver): Promise<string> {
  const document = parse(readFileSync(bundledContract, 'utf8'))
  Object.assign(document.paths, paths)
  return writeDocument(stringify(document), whenOver)
}

async function writeDocument(text: string, whenOver?: WhenOver): Promise<string> {
  const file = join(await tempFolder(whenOver), 'contract.yaml')
  await writeFile(file, text)
  return file
}

/** A copy of the shipped fixtures with one passage of one file replaced. */
export async function fixturesWith(name: string, from: string, to: string): Promise<string> {
  const folder = join(await tempFolder(), 'fixtures')
  await cp(bundledFixtures, folder, { recursive: true })
  const file = join(folder, name)
  const text = await readFile(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${name} has no ${from}`)
  await writeFile(
    file,
    text.replace(from, () => to),
  )
  return folder
}
