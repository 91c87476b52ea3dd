import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isOpenFile } from '../../base/documents/read-file.ts'
import { flagOf, type SettingTable } from './setting.ts'

interface UsedFile {
  /** Where the path comes from: `--report`, `--report (CONVSIM_REPORT)` for a variable, or `the command`. */
  readonly source: string
  readonly isWritten: boolean
  readonly path: string
  /** Two files conflict if they share a key: a real path, a device and inode, or an input folder's path plus `/`. */
  readonly keys: readonly string[]
}

interface FileCommand {
  readonly settings: SettingTable
  readonly runsCommand?: true
}

interface FileInvocation {
  readonly settings: object
  readonly args: readonly string[]
  readonly variables: ReadonlyMap<string, string>
}

/** Describes the first file, if any, that a command would both read and write, or would write twice. */
export function findFileConflict(command: FileCommand, invocation: FileInvocation): string | undefined {
  const used = listUsedFiles(command, invocation)
  for (const [index, output] of used.entries()) {
    if (!output.isWritten) continue
    // Each output is compared with all inputs and all earlier outputs, so that no pair is compared twice.
    const other = used.find((file, at) => (file.isWritten ? at < index : true) && isConflict(output, file))
    if (other) return describeConflict(output, other)
  }
  return undefined
}

function describeConflict(output: UsedFile, other: UsedFile): string {
  const advice = 'Use another file for one of the two.'
  const effect = other.keys.some((key) => key.endsWith('/')) ? 'write into' : 'overwrite'
  if (!other.isWritten) return `${output.source} would ${effect} ${other.path}, which ${other.source} reads. ${advice}`
  return `${other.source} and ${output.source} would write to the same file, ${output.path}. ${advice}`
}

function listUsedFiles({ settings, runsCommand }: FileCommand, { settings: values, args, variables }: FileInvocation) {
  const settingFiles = Object.entries(settings).flatMap(([name, { files: usage }]) => {
    const variable = variables.get(flagOf(name))
    const source = `${flagOf(name)}${variable === undefined ? '' : ` (${variable})`}`
    const value = (values as Readonly<Record<string, string | undefined>>)[name] // settings that name files are strings
    return usage ? usage.list(value).map((file) => toUsedFile(file, source, usage.areWritten)) : []
  })
  // The arguments of a child command are not compared, since convsim cannot know which of them the command reads.
  return [...settingFiles, ...(runsCommand ? [] : args.map((file) => toUsedFile(file, 'the command', false)))]
}

function toUsedFile(file: string, source: string, isWritten: boolean): UsedFile {
  const path = resolve(file)
  const real = findRealPath(file)
  const stats = isWritten || !file.endsWith('/') ? findStats(real) : undefined
  // A device has no content to lose, and two output paths may be links to the same terminal.
  if (stats && !stats.isFile() && !stats.isDirectory())
    return { source, isWritten, path, keys: isWritten ? [path] : [] }
  const inode = stats?.isFile() && stats.ino !== 0n ? [`${stats.dev}:${stats.ino}`] : []
  const folders = isWritten ? [`${dirname(real)}/`, `${real}/`] : []
  return { source, isWritten, path, keys: file.endsWith('/') ? [`${real}/`] : [real, ...inode, ...folders] }
}

function isConflict(output: UsedFile, other: UsedFile): boolean {
  // Output to a file that the process has open, such as `/dev/stdout`, is appended and does not replace the content.
  if (other.isWritten && isOpenFile(output.path) && isOpenFile(other.path)) return output.path === other.path
  return output.keys.some((key) => !(other.isWritten && key.endsWith('/')) && other.keys.includes(key))
}

function findStats(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // the code that uses the file reports the error
  }
}

/** Returns a path with its links resolved. The last segments of the path need not exist. */
export function findRealPath(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    return dirname(absolute) === absolute ? absolute : join(findRealPath(dirname(absolute)), basename(absolute))
  }
}
