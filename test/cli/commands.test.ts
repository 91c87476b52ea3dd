import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/config/arguments.ts'
import { allSettings, defaultOf, variableOf } from '../../src/config/settings.ts'
import { version } from '../../src/fixtures/bundled.ts'
import { inputs } from '../support/catalogue.ts'
import { allOperations } from '../support/client.ts'
import { convsim, run } from '../support/command.ts'
import { documentWith, fixturesWith } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('--help', () => {
  /** Joins the lines that commander breaks. */
  const joinLines = (text: string) => text.replace(/\s+/g, ' ')

  test('lists every setting, command and scenario', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const help = joinLines(stdout)
    for (const [, setting] of allSettings) {
      expect(help).toContain(`--${setting.flag}`)
      expect(help).toContain(variableOf(setting))
      expect(help).toContain(joinLines(setting.description))
      expect(help).toContain(`default: ${defaultOf(setting)}`)
      if (setting.alsoEnv) expect(help).toContain(`, ${setting.alsoEnv};`)
    }
    for (const [name, { description }] of Object.entries(commands)) {
      expect(help).toMatch(new RegExp(` ${name} `))
      expect(help).toContain(joinLines(description))
    }
    for (const { name, description, parameters } of inputs.catalogue.definitions) {
      expect(help).toContain(` ${name} ${joinLines(description)}`)
      for (const parameter of parameters) expect(help).toContain(joinLines(parameter.description))
    }
  })

  test('prints the same help for every command', async () => {
    const [ofCommand, alone] = await Promise.all([run(['check', '--help']), run(['--help'])])
    expect(ofCommand).toEqual(alone)
  })
})

test('--version prints the version and nothing else', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

describe('check', () => {
  test('finds no fault in the bundled files and prints counts', async () => {
    const { code, stdout } = await run(['check'])
    expect(code).toBe(0)
    expect(stdout).toContain(`spec/openapi.yaml: ok, ${allOperations.length} operations, `)
    expect(stdout).toMatch(/operations, \d+ assumptions\n/)
    expect(stdout).toMatch(/spec\/control\.openapi\.yaml: ok, \d+ operations/)
    const { personas, models } = inputs.fixtures
    expect(stdout).toContain(`fixtures: ok, ${personas.length} personas, ${models.length} models\n`)
    expect(stdout).not.toMatch(/warning|error/)
  })

  test('prints an operation that does not fit its handler, and exits with 1', async () => {
    const required = '      requestBody:\n        required: true\n        description: The event.'
    const file = await documentWith(required, required.replace('true', 'false'))
    const { code, stdout } = await run(['check', file])
    expect(code).toBe(1)
    expect(stdout).toMatch(/contract\.yaml: error: createEvent: the simulator reads a JSON body/)
  })

  test('prints each fault of a document with its line, and exits with 1', async () => {
    const file = await documentWith('operationId: createEvent', 'operationId: createPrompt')
    const { code, stdout } = await run(['check', file])
    expect(code).toBe(1)
    expect(stdout).toMatch(/contract\.yaml:\d+:\d+: error: .*createPrompt/)
    expect(stdout).toMatch(/contract\.yaml: not fit to be served/)
  })

  test('prints the fault of a fixture with its line, and exits with 1', async () => {
    const folder = await fixturesWith('models.yaml', 'persona: healthy', 'persona: hearty')
    const { code, stdout } = await run(['check', folder])
    expect(code).toBe(1)
    expect(stdout).toMatch(/models\.yaml:\d+:\d+: error: .*hearty/)
  })

  test('exits with 1 if a fixture names an unknown scenario', async () => {
    const folder = await fixturesWith('keys.yaml', 'scenario: bad-request', 'scenario: very-bad-request')
    const { code, stdout } = await run(['check', folder])
    expect(code).toBe(1)
    expect(stdout).toMatch(/very-bad-request/)
  })

  test('prints a result for each file, and exits with 1 if one has an error', async () => {
    const good = await documentWith('title: Conversation', 'title: Another Conversation')
    const { code, stdout } = await run(['check', good, 'no-such-file.yaml'])
    expect(code).toBe(1)
    expect(stdout).toContain(`contract.yaml: ok, ${allOperations.length} operations`)
    expect(stdout).toMatch(/no-such-file\.yaml: error: cannot be read/)
  })

  test('warns of nullable: true with its line, and exits with 0', async () => {
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
  test('prints the place and reason of each assumption', async () => {
    const { code, stdout } = await run(['assumptions'])
    expect(code).toBe(0)
    for (const { pointer, text } of inputs.contract.assumptions)
      expect(stdout).toContain(`${pointer || '/'}\n  ${text}`)
  })

  test('takes another document as an argument or as --contract', async () => {
    const file = await documentWith('Any string is accepted.', 'Guess!')
    const [named, set] = await Promise.all([
      run(['assumptions', file]),
      run(['assumptions', '--contract', file]),
    ])
    expect(named.stdout).toContain('Guess!')
    expect(set).toEqual(named)
  })

  test('exits with 1 if the file is no contract', async () => {
    const file = join(await tempFolder(), 'x.yaml')
    await writeFile(file, 'a: b\n')
    const { code, stdout, stderr } = await run(['assumptions', file])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/x\.yaml/)
  })
})

describe('healthcheck', () => {
  test('exits with 0 if the simulator of the flag or variable is ready', async () => {
    const command = convsim(['--port', '0', '--state', ':memory:'])
    const { port } = new URL(await command.ready())
    const results = await Promise.all([
      run(['healthcheck', '--port', port]),
      run(['healthcheck'], { env: { PORT: port } }),
      run(['healthcheck'], { env: { SIM_PORT: port, HOST: '0.0.0.0' } }),
    ])
    for (const { code, stdout } of results) {
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual({ status: 'healthy', version })
    }
  })

  test('exits with 1 and the reason if there is no reply', async () => {
    const { code, stdout, stderr } = await run(['healthcheck', '--port', '1'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/no answer from http:\/\/127\.0\.0\.1:1\/__sim\/health: .*ECONNREFUSED/)
  })
})
