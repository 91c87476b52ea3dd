import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import type { Findings } from '../../documents/finding.ts'
import { parseSource } from '../../documents/parse.ts'
import { answersFolder } from '../../fixtures/answers.ts'
import type { Bundle } from '../bundle.ts'

/**
 * Writes the documents of a bundle to a folder, which must exist. `ownContract` replaces that of the bundle. Returns
 * the settings that name the files, and the pointer in the bundle of each file and of the folder of the fixtures.
 */
export async function writeReplayFiles(
  { contract, fixtures, rules }: Bundle,
  folder: string,
  ownContract: string | undefined,
) {
  const pointers = new Map<string, string>()
  const write = async (name: string, value: Json, pointer: string) => {
    const file = join(folder, name)
    await writeFile(file, JSON.stringify(value))
    pointers.set(file, pointer)
    return file
  }
  const settings: Partial<Record<'contract' | 'overlay' | 'fixtures' | 'rules', string>> = {}
  if (ownContract !== undefined) settings.contract = ownContract
  else if (contract.document) {
    settings.contract = await write('contract.json', contract.document, '/contract/document')
    // With an overlay, also one without effect, examples that became wrong are warnings, as they were in the run.
    settings.overlay = await write('overlay.json', emptyOverlay, '')
  }
  if (rules.length > 0) settings.rules = await write('rules.json', { rules: [...rules] }, '')
  if (fixtures) {
    settings.fixtures = join(folder, 'fixtures')
    await mkdir(join(settings.fixtures, answersFolder), { recursive: true })
    for (const [path, value, pointer] of listFixtureFiles(fixtures)) await write(join('fixtures', path), value, pointer)
    pointers.set(settings.fixtures, '/fixtures')
  }
  return { settings, pointers }
}

const emptyOverlay = { overlay: '1.1.0', info: { title: 'None', version: '1' }, actions: [{ target: '$', update: {} }] }

/** Lists the path in the folder, the content, and the pointer in the bundle of each file of the fixtures. */
function listFixtureFiles({ answers, ...others }: JsonObject): (readonly [string, Json, string])[] {
  const names = Object.entries(others).filter(([name]) => /^[a-z]+$/.test(name))
  const exact = Array.isArray(answers) ? answers : []
  return [
    ...names.map(([name, value]) => [`${name}.yaml`, value, `/fixtures/${name}`] as const),
    ...exact.map((value, at) => [`${answersFolder}/${at}.json`, value, `/fixtures/answers/${at}`] as const),
  ]
}

/** Returns findings about the files with their places in the bundle, since readers no longer find the files. */
export async function nameInBundle(
  findings: Findings,
  pointers: ReadonlyMap<string, string>,
  bundleFile: string,
): Promise<Findings> {
  let named = findings
  for (const [file, pointer] of pointers) {
    if (!named.some(({ place, message }) => place.includes(file) || message.includes(file))) continue
    const byPlace = await readPointers(file)
    const rename = (text: string) =>
      text
        .split(file)
        .map((part, index) => {
          if (index === 0) return part
          const [position = ''] = /^:\d+:\d+/.exec(part) ?? []
          return bundlePlace(bundleFile, pointer + (byPlace.get(file + position) ?? '')) + part.slice(position.length)
        })
        .join('')
    named = named.map(({ place, message, ...finding }) => ({
      ...finding,
      place: rename(place),
      message: rename(message),
    }))
  }
  return named
}

const bundlePlace = (bundleFile: string, pointer: string) => (pointer === '' ? bundleFile : `${bundleFile}#${pointer}`)

/** Returns the pointers of all values of a file by their places; of a folder none. */
async function readPointers(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const source = parseSource(text, file)
  if (!source.ok) return new Map()
  const { value, place } = source.value
  return new Map([...walkPointers(value, '')].map((pointer) => [place(pointer), pointer]))
}

function* walkPointers(value: Json, pointer: string): Generator<string> {
  yield pointer
  if (!isObject(value) && !Array.isArray(value)) return
  for (const [key, item] of Object.entries(value)) yield* walkPointers(item, joinPointer(pointer, key))
}
