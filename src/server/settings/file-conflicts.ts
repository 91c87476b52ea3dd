import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isOpenFile } from '../../base/documents/read-file.ts'
import { flagOf, type SettingTable } from './setting.ts'

interface UsedFile {
  /** The setting that names the file: `--report` or `--report (CONVSIM_REPORT)`. */
  readonly source: string
  readonly isWritten: boolean
  readonly path: string
  /** Texts that identify the file whatever its name: its real path, and its device and inode. */
  readonly keys: readonly string[]
}

interface FileCommand {
  readonly settings: SettingTable
  readonly runsCommand?: true
}

interface FileLine {
  readonly settings: object
  readonly files: readonly string[]
  readonly variables: ReadonlyMap<string, string>
}

/** Describes the first file that a command would both read and write, or write twice, if any. */
export function findFileConflict(command: FileCommand, line: FileLine): string | undefined {
  const used = listUsedFiles(command, line)
  for (const [index, output] of used.entries()) {
    if (!output.isWritten) continue
    // Of two outputs in conflict, only the later one is checked against the earlier one.
    const other = used.find((one, at) => (one.isWritten ? at < index : true) && isSameFile(output, one))
    if (other) return describeConflict(output, other)
  }
  return undefined
}

function describeConflict(output: UsedFile, other: UsedFile): string {
  const advice = 'Use another file for one of the two.'
  if (!other.isWritten) return `${output.source} would overwrite ${other.path}, which ${other.source} reads. ${advice}`
  return `${other.source} and ${output.source} would write to the same file, ${output.path}. ${advice}`
}

function listUsedFiles({ settings, runsCommand }: FileCommand, { settings: values, files, variables }: FileLine) {
  const named = Object.entries(settings).flatMap(([name, { files: own }]) => {
    const variable = variables.get(flagOf(name))
    const source = `${flagOf(name)}${variable === undefined ? '' : ` (${variable})`}`
    const value = (values as Readonly<Record<string, string | undefined>>)[name] // settings with files are texts
    return own ? own.list(value).map((file) => toUsedFile(file, source, own.areWritten)) : []
  })
  // It is not known which of its arguments a child command reads.
  return [...named, ...(runsCommand ? [] : files.map((file) => toUsedFile(file, 'the command line', false)))]
}

function toUsedFile(file: string, source: string, isWritten: boolean): UsedFile {
  const path = resolve(file)
  const real = findRealPath(file)
  const found = isWritten || !file.endsWith('/') ? findStats(real) : undefined
  // A device has no content to lose, and two outputs may be links to the same terminal.
  if (found && !found.isFile() && !found.isDirectory())
    return { source, isWritten, path, keys: isWritten ? [path] : [] }
  const inode = found?.isFile() && found.ino !== 0n ? [`${found.dev}:${found.ino}`] : []
  const folders = isWritten ? [`${dirname(real)}/`, `${real}/`] : []
  return { source, isWritten, path, keys: file.endsWith('/') ? [`${real}/`] : [real, ...inode, ...folders] }
}

function isSameFile(output: UsedFile, other: UsedFile): boolean {
  // A file that the process has open, such as the one behind /dev/stdout, is appended to and not replaced.
  if (other.isWritten && isOpenFile(output.path) && isOpenFile(other.path)) return output.path === other.path
  return output.keys.some((key) => !(other.isWritten && key.endsWith('/')) && other.keys.includes(key))
}

function findStats(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // the code that uses the file reports why it cannot be used
  }
}

/** Returns a path with links resolved. The last segments of the path need not exist. */
export function findRealPath(path: string): string {
  const full = resolve(path)
  try {
    return realpathSync.native(full)
  } catch {
    return dirname(full) === full ? full : join(findRealPath(dirname(full)), basename(full))
  }
}
