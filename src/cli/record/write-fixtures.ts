import { appendFile, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { FIXTURE_FILES } from '../../fixtures/fixtures.ts'
import type { FixturePlan } from './plan-fixtures.ts'

/** Returns why a folder cannot be written to: it has files already, which might be somebody's work. Undefined: it is new, or empty. */
export async function findFolderProblem(folder: string): Promise<string | undefined> {
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

/** Writes a folder of fixtures: the files of `base` with what the plan adds. The appended items are JSON, which is YAML, too. */
export async function writeFixtures(
  { files, appended }: FixturePlan,
  folder: string,
  base: string,
): Promise<Result<undefined>> {
  try {
    await mkdir(folder, { recursive: true })
    for (const name of FIXTURE_FILES) await cp(join(base, `${name}.yaml`), join(folder, `${name}.yaml`))
    for (const name of ['models', 'personas'] as const) {
      const items = appended[name].map((item) => `- ${JSON.stringify(item)}\n`).join('')
      if (items !== '') await appendFile(join(folder, `${name}.yaml`), `\n# Recorded.\n${items}`)
    }
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    return success(undefined)
  } catch (error) {
    return failure(`The fixtures cannot be written: ${reasonOf(error)}.`)
  }
}
