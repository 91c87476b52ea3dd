// @module-tag long
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childLimits } from '../support/child-limits.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createProject, type Project, repository } from './project.ts'

const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
/** The names by which a project imports the entry points, documents such as package.json excluded. */
const entryPoints = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => path.replace('.', manifest.name))

let project: Project

beforeAll(() => {
  project = createProject()
})
afterAll(() => project.remove())

test('publint finds nothing in the packed files', async () => {
  const pkgDir = join(project.folder, 'node_modules', manifest.name)
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
})

describe('TypeScript resolves each entry point', () => {
  test.each([
    ['in a module of Node', 'points.mts', 'nodenext', 'nodenext'],
    ['in CommonJS of Node', 'points.cts', 'nodenext', 'nodenext'],
    ['for a bundler', 'points.ts', 'esnext', 'bundler'],
  ])('%s', (_where, file, module, resolution) => {
    const lines = entryPoints.map((name, at) => `export type Point${at} = typeof import('${name}')`)
    writeFileSync(join(project.folder, file), lines.join('\n'))
    const tsc = join(repository, 'node_modules/typescript/bin/tsc')
    // The types of optional peers, which the project has not, are not checked.
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', module]
    const args = [tsc, '--ignoreConfig', ...options, '--moduleResolution', resolution, file]
    expect(project.run(process.execPath, ...args)).toBe('')
  })
})

describe('a publication', () => {
  /** Runs the check before a publication in a folder with this package.json. */
  const check = async (fields: object) => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, ...fields }))
    const [node = '', script = ''] = manifest.scripts.prepublishOnly.split(' ')
    return spawnSync(node, [join(repository, script)], { ...childLimits, cwd: folder, encoding: 'utf8' })
  }

  test('is refused while an address is a placeholder', async () => {
    const { status, stderr } = await check({ homepage: 'https://code.test/convsim' })
    expect(stderr).toContain('package.json has placeholders: repository.url, bugs.')
    expect(status).toBe(1)
  })

  test('is allowed with the addresses of its owner', async () => {
    const url = 'https://code.test/convsim'
    const { status, stderr } = await check({ repository: { type: 'git', url }, homepage: url, bugs: url })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
