import { previewScenario } from '../../src/cli/scenarios/scenarios.ts'
import { defaultSettings } from '../../src/config/settings.ts'
import type { Operation } from '../../src/contract/contract.ts'
import { describeParameter } from '../../src/scenarios/client-view.ts'
import { type ActiveScenario, families, type ScenarioDefinition } from '../../src/scenarios/definition.ts'
import { exampleOf } from '../../src/scenarios/example.ts'
import type { LoadedInputs } from '../../src/simulator/loaded-inputs.ts'

/** Writes a section for each scenario: what happens, its parameters, an example, and what the client of each operation sees. */
export function describeScenarios(inputs: LoadedInputs): string {
  const sections = families.flatMap((family) => [
    `## ${family[0]?.toUpperCase()}${family.slice(1)}`,
    ...inputs.catalogue.definitions
      .filter((definition) => definition.family === family)
      .map((definition) => describeScenario(definition, inputs)),
  ])
  return `\n${sections.join('\n\n')}\n`
}

function describeScenario(definition: ScenarioDefinition, inputs: LoadedInputs): string {
  const active = exampleOf(definition)
  const { views, example, otherWays } = previewScenario(active, inputs, defaultSettings())
  const others = otherWays.filter(([name]) => /token|model/.test(name))
  return [
    `### ${definition.name}`,
    definition.description,
    ...definition.parameters.map(describeListed),
    ...listViews(views),
    ...(others.length > 0 ? [`Also by ${others.map(([name, text]) => `${name}, \`${text}\``).join(', or ')}.`] : []),
    ...(example ? [`\`\`\`sh\n${finish(example.command, active, example.operation)}\n\`\`\``] : []),
  ]
    .join('\n\n')
    .replaceAll(/^(- .*)\n\n(?=- )/gm, '$1\n')
}

/** Describes a parameter as an item of a list: ``- `retry-after` (s, default 1): When the client may come back.`` */
function describeListed(parameter: ScenarioDefinition['parameters'][number]): string {
  const { name, default: value, unit } = parameter
  const facts = [unit, value === undefined ? undefined : `default ${value}`].filter((one) => one !== undefined)
  const meaning = describeParameter(parameter).replace(/^.*?: /, '')
  return `- \`${name}\`${facts.length > 0 ? ` (${facts.join(', ')})` : ''}: ${meaning}`
}

/** Lists what the client sees, with the operations of which it is true. */
function listViews(views: readonly { readonly operation: Operation; readonly text: string }[]): string[] {
  const texts = [...new Set(views.map(({ text }) => text))]
  if (texts.length === 1) return [`The client of every operation sees: ${quoteBody(String(texts[0]))}`]
  const items = texts.map((text) => {
    const names = views.filter((view) => view.text === text).map(({ operation }) => `\`${operation.id}\``)
    return `- ${names.join(', ')}: ${quoteBody(text)}`
  })
  return ['The client sees:', ...items]
}

/** Sets headers and body of a described reply as code. */
function quoteBody(text: string): string {
  const [, status, headers, body] = /^(Status \d+)(?:, (?!body )(.*?))?, body (\{.*\})$/s.exec(text) ?? []
  if (status === undefined) return text
  return [status, ...(headers === undefined ? [] : [`\`${headers}\``]), `body \`${body}\``].join(', ')
}

/** Adds to the example what a reader gets: the status, or no answer. */
function finish(command: string, { definition, values }: ActiveScenario, operation: Operation): string {
  const effect = definition.effect(values)
  if (effect.kind === 'answer') return `${command} # ${effect.reply(operation).status}`
  if (effect.kind === 'expect') return `${command} # 400`
  if (effect.kind === 'lose-ack') return `${command} # no answer`
  if (effect.kind !== 'deliver') return command
  if (effect.mode.kind === 'hang') return `${command.replace('curl -i', 'curl -i --max-time 1')} # no answer`
  return ['reset', 'empty'].includes(effect.mode.kind) ? `${command} # no answer` : command
}
