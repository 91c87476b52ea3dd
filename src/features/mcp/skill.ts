import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { reasonOf } from '../../base/core/result.ts'
import { readOrdinaryFile } from '../../base/documents/read-file.ts'
import { defineCommand } from '../../command-line/process/command.ts'
import { boolean } from '../../server/settings/setting.ts'
import { bundledSkill } from '../../service/fixtures/bundled.ts'

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
    const problem = await install(file, seal(skill)).catch(reasonOf)
    if (problem === undefined) print('It is written.')
    else printError(`convsim: the skill was not written: ${problem}.`)
    return problem === undefined ? 0 : 1
  },
})

/** Writes a file and the folders above it. Returns the reason if another file is there; throws if it cannot write. */
async function install(file: string, text: string): Promise<string | undefined> {
  const present = existsSync(file) ? readOrdinaryFile(file).toString('utf8') : undefined
  if (present !== undefined && !isUnchanged(present))
    return 'the file there was not installed so, or was changed since. Delete or rename it, then install again'
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return undefined
}
