import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { appendYaml } from '../../base/documents/parse.ts'
import { PRIVATE_FOLDER, writePrivateFile } from '../../base/documents/private-file.ts'
import { readOrdinaryFile } from '../../base/documents/read-file.ts'
import { FIXTURE_FILES } from '../../service/fixtures/fixture-files.ts'
import type { FixturePlan } from './plan-fixtures.ts'

/** Returns why a folder cannot be written to, if it has files already, which might be somebody's work. */
export async function findTargetFolderProblem(folder: string): Promise<string | undefined> {
  try {
    const files = await readdir(folder)
    return files.length === 0
      ? undefined
      : `${folder} is not empty, and nothing is overwritten. Give a new folder with --out.`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? undefined
      : `${folder} cannot be written to: ${reasonOf(error)}.`
  }
}

/** Writes a folder of fixtures: the files of `base` and the plan's additions. */
export async function writeFixtures(
  { files, models }: FixturePlan,
  folder: string,
  base: string,
): Promise<Result<undefined>> {
  try {
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: PRIVATE_FOLDER })
      await writePrivateFile(join(folder, path), text)
    }
    for (const name of FIXTURE_FILES) {
      const text = readOrdinaryFile(join(base, `${name}.yaml`)).toString('utf8')
      await write(`${name}.yaml`, name === 'models' && models.length > 0 ? appendYaml(text, models) : text)
    }
    for (const [path, text] of files) await write(path, text)
    return success(undefined)
  } catch (error) {
    return failure(`The fixtures cannot be written: ${reasonOf(error)}.`)
  }
}
