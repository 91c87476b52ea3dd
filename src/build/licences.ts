import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** A package whose code is in a bundle. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  /** The licence as its manifest names it: `MIT`. */
  readonly licence: string
  /** The texts of its licence and notice files. Empty: the package has none. */
  readonly texts: readonly string[]
}

/** Lists the packages with code in a build's output, by name and version. The metafile's paths are in `root`. */
export async function listBundledPackages(metafile: Metafile, root: string): Promise<BundledPackage[]> {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const folders = new Set(used.map(findPackageFolder).filter((folder) => folder !== undefined))
  const packages = await Promise.all(Array.from(folders, (folder) => readPackage(join(root, folder))))
  return packages.sort((a, b) => (formatPackageName(a) < formatPackageName(b) ? -1 : 1))
}

/** Returns the folder of the package that a file belongs to; undefined: the file is our own. */
export function findPackageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const { name, version, license, licenses } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const files = (await readdir(folder)).sort()
  const own = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = await Promise.all(own.map((file) => readText(join(folder, file))))
  if (own.length === 0) texts.push(await readLicenceOfReadme(folder, files))
  // Old manifests have an object or a list of objects.
  const licence = [license ?? licenses].flat().map((each) => each?.type ?? each)
  return { name, version, licence: licence.join(' OR '), texts: texts.filter((text) => text !== '') }
}

const readText = async (file: string) => (await readFile(file, 'utf8')).replaceAll('\r\n', '\n').trim()

/** Returns the section on the licence of a package's readme; empty: there is none. */
async function readLicenceOfReadme(folder: string, files: readonly string[]): Promise<string> {
  const readme = files.find((file) => /^readme/i.test(file))
  const text = readme === undefined ? '' : await readText(join(folder, readme))
  return /^(?:#+ *)?licen[cs]e\b.*$[\s\S]*/im.exec(text)?.[0] ?? ''
}

const formatPackageName = ({ name, version, licence }: BundledPackage) => `${name} ${version} (${licence})`

/** Returns the text of a bundle's licence file. Packages whose texts differ in copyright lines share the rest. */
export function formatLicences(packages: readonly BundledPackage[]): string {
  const groups = new Map<string, { readonly heads: string[]; readonly body: string }>()
  for (const each of packages) {
    const lines = each.texts.join('\n\n').split('\n')
    const copyright = lines.filter(isCopyright).map((line) => line.trim())
    const body = lines
      .filter((line) => !isCopyright(line))
      .join('\n')
      .trim()
    const key = body.replace(/\s+/g, ' ')
    const group = groups.get(key) ?? { heads: [], body }
    groups.set(key, group)
    group.heads.push([formatPackageName(each), ...copyright].join('\n  '))
  }
  const parts = Array.from(groups.values(), ({ heads, body }) => `${heads.join('\n')}\n\n${body}\n`)
  return ['The licences of all packages whose code is bundled here.\n', ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}

const isCopyright = (line: string) => /^\W*(\(c\)|copyright) .*(\d{4}|\(c\))/i.test(line)
