import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { groupBy } from '../base/core/group-by.ts'
import { root } from './modules.ts'

interface BundledPackage {
  readonly name: string
  readonly version: string
  /** The licence as its manifest names it: `MIT`. */
  readonly licence: string
  /** The text of its licence and notice files; empty where it has none. */
  readonly text: string
}

/** Writes the licences of the packages whose code is in bundles into a folder. */
export async function writeLicences(bundles: readonly Metafile[], folder: string): Promise<void> {
  const files = bundles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)))
  const folders = new Set(files.map(findPackageFolder).filter((found) => found !== undefined))
  const packages = await Promise.all(Array.from(folders, (found) => readPackage(join(root, found))))
  packages.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), formatLicences(packages))
}

/** Returns the folder of the package that a file belongs to; undefined: the file is our own. */
export function findPackageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const { name, version, license, licenses } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const files = (await readdir(folder)).sort()
  const readTexts = async (pattern: RegExp) => {
    const texts = files
      .filter((file) => pattern.test(file))
      .map(async (file) => (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim())
    return (await Promise.all(texts)).join('\n\n')
  }
  const ofReadme = async () => /^(?:#+ *)?licen[cs]e\b.*$[\s\S]*/im.exec(await readTexts(/^readme/i))?.[0] ?? ''
  // Old manifests have an object or a list of objects.
  const licence = [license ?? licenses].flat().map((each) => each?.type ?? each)
  const text = (await readTexts(/^(licen[cs]e|copying|notice)/i)) || (await ofReadme())
  return { name, version, licence: licence.join(' OR '), text }
}

const nameOf = ({ name, version, licence }: BundledPackage) => `${name} ${version} (${licence})`

/** Returns the text of a bundle's licence file. Packages whose texts differ in copyright lines share the rest. */
export function formatLicences(packages: readonly BundledPackage[]): string {
  const isCopyright = (line: string) => /^\W*(\(c\)|copyright) .*(\d{4}|\(c\))/i.test(line)
  const bodyOf = ({ text }: BundledPackage) => {
    const lines = text.split('\n').filter((line) => !isCopyright(line))
    return lines.join('\n').trim()
  }
  const headOf = (each: BundledPackage) => {
    const copyright = each.text.split('\n').filter(isCopyright)
    return [nameOf(each), ...copyright.map((line) => line.trim())].join('\n  ')
  }
  const groups = groupBy(packages, (each) => bodyOf(each).replace(/\s+/g, ' '))
  const parts = Array.from(groups.values(), (group) => {
    const [first] = group
    return `${group.map(headOf).join('\n')}\n\n${first ? bodyOf(first) : ''}\n`
  })
  return ['The licences of all packages whose code is bundled here.\n', ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}
