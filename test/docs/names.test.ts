import { expect, test } from 'vitest'
import { commands } from '../../src/features/commands.ts'
import { flagOf } from '../../src/server/settings/setting.ts'
import { serverSettings } from '../../src/server/settings/settings.ts'
import { families } from '../../src/service/scenarios/definition.ts'
import { parseScenarios } from '../../src/service/scenarios/parse.ts'
import { inputs } from '../support/catalogue.ts'
import { type DocPage, readPages } from '../support/doc-pages.ts'

const pages = readPages().filter(({ path }) => path === 'README.md' || path.startsWith('docs/'))

/** Returns the code in a page: inline code such as `--seed`, and code blocks. */
const codeIn = ({ text }: DocPage) => Array.from(text.matchAll(/^ *```[\s\S]*?^ *```$|`[^`\n]+`/gm), ([code]) => code)

/** Returns each unknown name that `pattern` matches in the pages' code, with its page. */
function findUnknown(pattern: RegExp, isKnown: (name: string) => boolean): string[] {
  return pages.flatMap((page) =>
    codeIn(page).flatMap((code) =>
      Array.from(code.matchAll(pattern), ([, name = '']) => name)
        .filter((name) => !isKnown(name))
        .map((name) => `${page.path}: ${name}`),
    ),
  )
}

/** Flags that the pages mention but that are not settings, such as the flags of other programs. */
const otherFlags = [
  ...['--rm', '--user', '--platform', '--tag', '--push', '--start-interval', '--fail-on', '--minutes', '--save-dev'],
  ...['--test', '--test-global-setup', '--fail-with-body', '--silent', '--no', '--version', '--help', '--all'],
  ...['--watchAll', '--prot', '--cacert', '--junitxml', '--read-only', '--tmpfs', '--cap-drop', '--security-opt'],
]

test('the pages mention only existing flags', () => {
  const settings = [...Object.keys(serverSettings), ...commands.flatMap((command) => Object.keys(command.settings))]
  const flags = new Set([...settings.map(flagOf), ...otherFlags])
  const isKnown = (name: string) => flags.has(name) || flags.has(name.replace('--no-', '--'))
  expect(findUnknown(/(?<=[\s`])(--[a-z][\w-]*[a-z])/gi, isKnown)).toEqual([])
})

test('the pages mention only existing commands', () => {
  const names = [...commands.map(({ name }) => name), 'mock', 'COMMAND']
  expect(findUnknown(/(?:`|npx )convsim ([A-Za-z]+)(?=[ `\n])/g, (name) => names.includes(name))).toEqual([])
})

test('on the pages, each scenario with parameters is valid, and each listed scenario or set exists', () => {
  const isScenario = (text: string) => parseScenarios(text, inputs.catalogue).ok
  expect(findUnknown(/`"?([a-z][\w-]*;[a-z][\w-]*=[^`"]*)"?`/g, isScenario)).toEqual([])
  const sets = ['resilience', 'drift', 'extremes', ...families]
  const lists = pages.flatMap(
    ({ text }) => /^##+ (?:Scenarios in the proxy|Choose the faults)\n[\s\S]*?(?=^##)/gm.exec(text) ?? [],
  )
  expect(lists).toHaveLength(2)
  const mentioned = lists.flatMap((list) => Array.from(list.matchAll(/`([a-z][a-z-]*)`/g), ([, name = '']) => name))
  expect(mentioned.length).toBeGreaterThan(20)
  expect(
    mentioned.filter((name) => !sets.includes(name) && !inputs.catalogue.definitions.some((one) => one.name === name)),
  ).toEqual([])
})
