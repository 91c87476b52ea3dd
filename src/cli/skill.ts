import { hash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { boolean } from '../config/setting.ts'
import { bundledSkill } from '../fixtures/bundled.ts'
import { defineCommand } from '../process/command.ts'

const mark = '\n<!-- convsim skill --install replaces this file as long as the text above has the SHA-256 '

/** Appends a checksum, by which a later version finds that nobody has changed the file. */
const seal = (text: string) => `${text}${mark}${hash('sha256', text)} -->\n`

const isUnchanged = (text: string) => text === seal(text.slice(0, text.lastIndexOf(mark)))

/** The command `skill`. */
export const skillCommand = defineCommand({
  name: 'skill',
  purpose: 'Look up',
  summary: 'Print or install the skill for coding agents',
  usage: '[options]',
  description:
    'Print the skill that tells a coding agent how to use convsim, or write it where agents of this project look.',
  examples: ['skill', 'skill --install'],
  settings: {
    install: boolean({ default: false, description: 'Write .claude/skills/convsim/SKILL.md into this folder.' }),
  },
  async run({ settings }, { host, print, printError }) {
    const skill = await readFile(bundledSkill, 'utf8')
    if (!settings.install) {
      print(skill.trimEnd())
      return 0
    }
    const file = resolve(host.cwd(), '.claude/skills/convsim/SKILL.md')
    print(`The skill belongs in ${file}.`)
    const present = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
    const problem =
      typeof present === 'string'
        ? isUnchanged(present)
          ? undefined
          : 'the file there was not installed so, or was changed since. Delete or rename it, then install again'
        : present.code === 'ENOENT'
          ? undefined
          : present.message
    const failed = problem ?? (await write(file, seal(skill)))
    if (failed !== undefined) printError(`convsim: the skill was not written: ${failed}.`)
    else print('It is written.')
    return failed === undefined ? 0 : 1
  },
})

/** Writes a file and the folders above it. Returns the reason if it cannot be written. */
async function write(file: string, text: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
