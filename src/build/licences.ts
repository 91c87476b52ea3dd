import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { root } from './modules.ts'

export async function writeLicences(bundles: readonly { metafile: Metafile }[], folder: string): Promise<void> {
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs))
  const packages = outputs.flatMap(({ inputs }) => Object.keys(inputs).flatMap((file) => findPackageFolder(file) ?? []))
  const licences = await Promise.all(Array.from(new Set(packages), (found) => readLicence(join(root, found))))
  const texts = ['The licences of all packages whose code is bundled here.', ...licences.sort()]
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

/** Returns the folder of the package that a file belongs to; undefined: the file is our own. */
export function findPackageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
}

/** Returns the name of a package and of its licence, and the texts: some packages have them in their README alone. */
async function readLicence(folder: string): Promise<string> {
  const { name, version, license, licenses } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  // Old manifests have an object or a list of objects.
  const licence = [license ?? licenses].flat().map((each) => each?.type ?? each)
  const files = (await readdir(folder)).sort()
  const named = [/^(licen[cs]e|copying|notice)/i, /^readme/i].map((name) => files.filter((file) => name.test(file)))
  const found = named.find((list) => list.length > 0) ?? []
  const texts = await Promise.all(found.map((file) => readFile(join(folder, file), 'utf8')))
  return [`${name} ${version} (${licence.join(' OR ')})`, ...texts].join('\n\n').trim()
}
