import { commands } from '../../src/config/commands.ts'
import { allSettings, defaultOf, defaultSettings, variableOf } from '../../src/config/settings.ts'
import { families, type ScenarioDefinition } from '../../src/scenarios/definition.ts'
import { describeParameter } from '../../src/scenarios/describe.ts'
import { LABEL_BANDS, type LabelBand } from '../../src/simulation/labels.ts'
import { ISSUE_RULES } from '../../src/simulation/rules.ts'
import { loadInputs } from '../../src/simulator/loaded-inputs.ts'

/** Returns the tables of the README that follow from the code, by the names of their markers. */
export async function readmeTables(): Promise<Record<string, string>> {
  const loaded = await loadInputs(defaultSettings())
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  const { fixtures, catalogue, control } = loaded.value
  return {
    commands: formatTable(
      ['command', 'what it does'],
      Object.entries(commands).map(([name, { operands, description }]) => [
        code(`convsim ${name}`),
        `${description}${operands && ` Takes ${operands}.`}`,
      ]),
    ),
    settings: formatTable(
      ['flag', 'environment', 'default', 'meaning'],
      allSettings.map(([, setting]) => [
        [
          setting.short && code(`-${setting.short}`),
          code(`--${setting.flag}${setting.value ? ` ${setting.value}` : ''}`),
        ]
          .filter(Boolean)
          .join(', '),
        [variableOf(setting), setting.alsoEnv]
          .filter((name) => name !== undefined)
          .map(code)
          .join(', '),
        setting.defaultText ?? code(defaultOf(setting)),
        setting.description,
      ]),
    ),
    scenarios: families
      .map((family) => {
        const entries = catalogue.definitions.filter((entry) => entry.family === family)
        return `**${family}**\n\n${formatTable(['scenario', 'what happens', 'parameters'], entries.map(scenarioRow))}`
      })
      .join('\n\n'),
    controls: formatTable(
      ['control', 'what it does'],
      control.operations.map(({ method, path, summary }) => [
        code(`${method} ${control.basePath}${path}`),
        summary,
      ]),
    ),
    labels: formatTable(
      ['field', 'labels, each for the scores up to its limit'],
      Object.entries(LABEL_BANDS).map(([field, bands]) => [code(field), bands.map(formatBand).join(', ')]),
    ),
    issues: formatTable(
      ['issue', 'severity', 'found where'],
      ISSUE_RULES.map(({ id, severity, measure, is, threshold }) => [
        code(id),
        severity,
        `${code(measure)} is ${is} ${threshold}`,
      ]),
    ),
    keys: formatTable(
      ['token', 'what happens'],
      fixtures.keys.map(({ token, about }) => [code(token), about]),
    ),
    models: formatTable(
      ['model id', 'name', 'what happens'],
      fixtures.models.map(({ id, name, about }) => [code(id), name, about]),
    ),
  }
}

/** Replaces the tables of the README between their markers: `<!-- settings -->` to `<!-- /settings -->`. */
export function insertTables(readme: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce((text, [name, made]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [from, to] = [text.indexOf(open), text.indexOf(close)]
    if (from < 0 || to < from)
      throw new Error(`README.md has no place for the table "${name}": add ${open} and ${close}`)
    return `${text.slice(0, from + open.length)}\n${made}\n${text.slice(to)}`
  }, readme)
}

const formatBand = ({ label, below, closed }: LabelBand) => `${label} ${closed ? '≤' : '<'} ${below}`

function scenarioRow(entry: ScenarioDefinition): string[] {
  return [code(entry.name), entry.description, entry.parameters.map(describeParameter).join('<br>')]
}

function formatTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``
