import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/config/arguments.ts'
import { allSettings, defaultOf, variableOf } from '../../src/config/settings.ts'
import { version } from '../../src/fixtures/bundled.ts'
import { sources } from '../support/catalogue.ts'
import { convsim, run } from '../support/command.ts'
import { documentWith, fixturesWith } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('--help', () => {
  /** Commander breaks lines; the words are what counts. */
  const words = (text: string) => text.replace(/\s+/g, ' ')

  test('names every setting with its variable, default and meaning, every command, every scenario', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const help = words(stdout)
    for (const [, setting] of allSettings) {
      expect(help).toContain(`--${setting.flag}`)
      expect(help).toContain(variableOf(setting))
      expect(help).toContain(words(setting.description))
      expect(help).toContain(`default: ${defaultOf(setting)}`)
      if (setting.alsoEnv) expect(help).toContain(`, ${setting.alsoEnv};`)
    }
    for (const [name, { description }] of Object.entries(commands)) {
      expect(help).toMatch(new RegExp(` ${name} `))
      expect(help).toContain(words(description))
    }
    for (const { name, description, parameters } of sources.catalogue.definitions) {
      expect(help).toContain(` ${name} ${words(description)}`)
      for (const parameter of parameters) expect(help).toContain(words(parameter.description))
    }
  })

  test('of a command is the same help', async () => {
    const [of, alone] = await Promise.all([run(['check', '--help']), run(['--help'])])
    expect(of).toEqual(alone)
  })
})

test('--version prints the version and nothing else', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

describe('check', () => {
  test('of the shipped files is well, with counts', async () => {
    const { code, stdout } = await run(['check'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/spec\/openapi\.yaml: ok, 3 operations, \d+ assumptions\n/)
    expect(stdout).toMatch(/spec\/control\.openapi\.yaml: ok, \d+ operations/)
    expect(stdout).toMatch(/fixtures: ok, 11 personas, 20 models\n/)
    expect(stdout).not.toMatch(/warning|error/)
  })

  test('of a broken document names each fault at its line, and ends with 1', async () => {
    const file = await documentWith('operationId: createEvent', 'operationId: createPrompt')
    const { code, stdout } = await run(['check', file])
    expect(code).toBe(1)
    expect(stdout).toMatch(/contract\.yaml:\d+:\d+: error: .*createPrompt/)
    expect(stdout).toMatch(/contract\.yaml: not fit to be served/)
  })

  test('of a broken fixture names the fault at its line, and ends with 1', async () => {
    const folder = await fixturesWith('models.yaml', 'persona: healthy', 'persona: hearty')
    const { code, stdout } = await run(['check', folder])
    expect(code).toBe(1)
    expect(stdout).toMatch(/models\.yaml:\d+:\d+: error: .*hearty/)
  })

  test('of a magic value that leads nowhere ends with 1', async () => {
    const folder = await fixturesWith('keys.yaml', 'scenario: bad-request', 'scenario: very-bad-request')
    const { code, stdout } = await run(['check', folder])
    expect(code).toBe(1)
    expect(stdout).toMatch(/very-bad-request/)
  })

  test('of several tells about each, and one bad one decides', async () => {
    const good = await documentWith('title: Conversation', 'title: Another Conversation')
    const { code, stdout } = await run(['check', good, 'no-such-file.yaml'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/contract\.yaml: ok, 3 operations/)
    expect(stdout).toMatch(/no-such-file\.yaml: error: cannot be read/)
  })

  test('warns of nullable: true, at its line, and lets it pass', async () => {
    const file = await documentWith(
      '          type: string\n          description: Overall summary',
      '          type: string\n          nullable: true\n          description: Overall summary',
    )
    const { code, stdout } = await run(['check', file])
    expect(code).toBe(0)
    expect(stdout).toMatch(/contract\.yaml:\d+:\d+: warning: .*nullable/)
  })
})

describe('assumptions', () => {
  test('lists place and reason of each', async () => {
    const { code, stdout } = await run(['assumptions'])
    expect(code).toBe(0)
    for (const { pointer, text } of sources.contract.assumptions)
      expect(stdout).toContain(`${pointer || '/'}\n  ${text}`)
  })

  test('takes another document, by name or by --contract', async () => {
    const file = await documentWith('Any string is accepted.', 'Guess!')
    const [named, set] = await Promise.all([
      run(['assumptions', file]),
      run(['assumptions', '--contract', file]),
    ])
    expect(named.stdout).toContain('Guess!')
    expect(set).toEqual(named)
  })

  test('of what is no document ends with 1', async () => {
    const file = join(await tempFolder(), 'x.yaml')
    await writeFile(file, 'a: b\n')
    const { code, stdout, stderr } = await run(['assumptions', file])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/x\.yaml/)
  })
})

describe('healthcheck', () => {
  test('ends with 0 where it is ready, by flag or by variable', async () => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const { port } = new URL(await command.ready())
    const answers = await Promise.all([
      run(['healthcheck', '--port', port]),
      run(['healthcheck'], { env: { PORT: port } }),
      run(['healthcheck'], { env: { SIM_PORT: port, HOST: '0.0.0.0' } }),
    ])
    for (const { code, stdout } of answers) {
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual({ status: 'healthy', version })
    }
  })

  test('ends with 1 where nobody answers, and says why', async () => {
    const { code, stdout, stderr } = await run(['healthcheck', '--port', '1'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/no answer from http:\/\/127\.0\.0\.1:1\/__sim\/health: .*ECONNREFUSED/)
  })
})
