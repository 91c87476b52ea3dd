import { commands } from '../../src/features/commands.ts'
import { retryRules, unjudgedReasons } from '../../src/server/reports/retries/rules.ts'
import { flagOf, type Setting } from '../../src/server/settings/setting.ts'
import { formatDefault, serverSettings } from '../../src/server/settings/settings.ts'
import { families, type ScenarioDefinition } from '../../src/service/scenarios/definition.ts'
import { QUALITY_BLEND } from '../../src/service/simulation/day.ts'
import { ISSUE_RULES } from '../../src/service/simulation/rules.ts'
import { LABEL_BANDS, type LabelBand } from '../../src/service/simulation/simulation.ts'
import { inputs } from './catalogue.ts'

/** Returns the documentation's generated tables and formula, by marker name. */
export function docTables(): Record<string, string> {
  const { fixtures, catalogue, control } = inputs
  const serverSettingRows = Object.entries<Setting<unknown>>(serverSettings).map(settingCells)
  const serverRows = new Set(serverSettingRows.map((cells) => cells.join()))
  return {
    commands: formatTable(
      ['command', 'what it does'],
      commands.map(({ name, description }) => [code(`convsim ${name}`), firstSentence(description)]),
    ),
    settings: formatTable(['flag', 'default', 'meaning'], serverSettingRows),
    'command-settings': formatTable(
      ['command', 'flag', 'default', 'meaning'],
      commands.flatMap(({ name: command, settings }) =>
        Object.entries(settings)
          .map(settingCells)
          .filter((cells) => !serverRows.has(cells.join()))
          .map((cells) => [code(command), ...cells]),
      ),
    ),
    scenarios: families
      .map((family) => {
        const entries = catalogue.definitions.filter((entry) => entry.family === family)
        return `**${family}**\n\n${formatTable(['scenario', 'effect', 'parameters'], entries.map(scenarioRow))}`
      })
      .join('\n\n'),
    'retry-rules': formatTable(
      ['rule', 'requirement', 'reported as a finding only if', 'weaker evidence'],
      Object.entries(retryRules).map(([name, { rule, proof, otherwise }]) => [code(name), rule, proof, otherwise]),
    ),
    unjudged: formatTable(
      ['reason', 'meaning'],
      Object.entries(unjudgedReasons).map(([name, meaning]) => [code(name), meaning]),
    ),
    plans: formatTable(
      ['plan', 'what it includes', 'analytics requests per hour'],
      fixtures.plans.map(({ name, about, analytics, maxAnalysesPerHour }) => [
        code(name),
        about,
        analytics ? String(maxAnalysesPerHour ?? 'unlimited') : 'none',
      ]),
    ),
    products: formatTable(
      ['product ID', 'name', 'models'],
      fixtures.products.map(({ id, name, models }) => [
        code(id),
        name,
        models.map((model) => fixtures.models.find(({ id }) => id === model)?.name ?? model).join(', '),
      ]),
    ),
    controls: formatTable(
      ['endpoint', 'what it does'],
      control.operations.map(({ method, path, summary }) => [code(`${method} ${control.basePath}${path}`), summary]),
    ),
    quality: code(`quality = ${formatBlend()}`),
    labels: formatTable(
      ['field', 'labels and their score ranges'],
      Object.entries(LABEL_BANDS).map(([field, bands]) => [code(field), bands.map(formatBand).join(', ')]),
    ),
    issues: formatTable(
      ['issue', 'severity', 'reported if'],
      ISSUE_RULES.map(({ id, severity, measure, is, threshold }) => [
        code(id),
        severity,
        `${code(measure)} is ${is} ${threshold}`,
      ]),
    ),
    keys: formatTable(
      ['key', 'effect'],
      fixtures.keys.map(({ token, about }) => [code(token), about]),
    ),
    models: formatTable(
      ['model ID', 'name', 'behavior'],
      fixtures.models.map(({ id, name, about }) => [code(id), name, about]),
    ),
  }
}

/** Returns the names of the tables for which a page has markers, such as `<!-- plans -->` and `<!-- /plans -->`. */
export function findTables(page: string): string[] {
  return Array.from(page.matchAll(/^<!-- \/([\w-]+) -->$/gm), ([, name = '']) => name)
}

/** Returns the page with the given tables between its markers. */
export function insertTables(page: string, tables: Record<string, string>): string {
  return findTables(page).reduce((text, name) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [from, to] = [text.indexOf(open), text.indexOf(close)]
    if (from < 0 || to < from) throw new Error(`the marker ${open} is missing or comes after ${close}`)
    return `${text.slice(0, from + open.length)}\n${tables[name]}\n${text.slice(to)}`
  }, page)
}

/** Formats the formula for a day's quality: `0.4 × satisfaction + ...` */
function formatBlend(): string {
  const parts = Object.entries(QUALITY_BLEND)
  return parts.map(([name, weight]) => `${weight} × ${name === 'friction' ? '(1 − friction)' : name}`).join(' + ')
}

const formatBand = ({ label, end, includesEnd }: LabelBand) => `${label} ${includesEnd ? '≤' : '<'} ${end}`

function scenarioRow(entry: ScenarioDefinition): string[] {
  return [
    code(entry.name),
    entry.description,
    entry.parameters
      .map(({ name, default: value }) => code(value === undefined ? name : `${name}=${value}`))
      .join(', '),
  ]
}

const settingCells = ([name, setting]: [string, Setting<unknown>]) => [
  describeFlag(name, setting),
  describeDefault(setting),
  firstSentence(setting.description),
]

const describeFlag = (name: string, { short, value }: Setting<unknown>) =>
  `${short ? `${code(`-${short}`)}, ` : ''}${code(`${flagOf(name)}${value ? ` ${value}` : ''}`)}`

const firstSentence = (text: string) => /^.*?(?<!e\.g)\.(?= |$)/.exec(text)?.[0] ?? text

const describeDefault = (setting: Setting<unknown>) =>
  setting.defaultText ?? (setting.default === undefined ? 'none' : code(formatDefault(setting)))

function formatTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``
