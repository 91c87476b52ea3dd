import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reasonOf } from '../../base/core/result.ts'
import type { Finding } from '../../base/documents/finding.ts'
import { writePrivateFile } from '../../base/documents/private-file.ts'
import type { ReportTarget } from './formats/index.ts'

/** Returns why the reports could not be written at the end of the run, or undefined if they can. */
export async function findReportProblem(targets: readonly ReportTarget[]): Promise<Finding | undefined> {
  for (const { file } of targets) {
    const message = await findTargetProblem(file)
    if (message !== undefined) return { severity: 'error', place: file, message, flag: '--report' }
  }
  return undefined
}

export async function findTargetProblem(file: string): Promise<string | undefined> {
  if (!(await isFolder(dirname(file)))) return `there is no folder ${dirname(file)}. Make it first.`
  return /[\\/]$/.test(file) || (await isFolder(file)) ? 'that is a folder, not a file.' : undefined
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

/** Writes a report. @returns the reason of a failure; undefined for success */
export async function writeReportFile(file: string, text: string): Promise<string | undefined> {
  try {
    await writePrivateFile(file, text)
    return undefined
  } catch (error) {
    return `--report ${file}: cannot be written: ${reasonOf(error)}`
  }
}

/** The beginning of a file, in bytes, by which its content is told. */
const headBytes = 4096

/** Returns true for a file that nobody would miss: it is not there, empty, no file but a device, or one of ours. */
export async function mayOverwrite(file: string, isOurs: (beginning: string) => boolean): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile() || found.size === 0) return true
  const opened = await open(file, 'r').catch(() => undefined)
  if (!opened) return false
  try {
    const { bytesRead, buffer } = await opened.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return isOurs(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await opened.close()
  }
}
