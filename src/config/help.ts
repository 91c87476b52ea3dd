import { type CommandName, commands } from './commands.ts'

/** Returns the part of the help after the flags: all commands, examples and the precedence of values. */
export function describeCommands(): string {
  const rows = Object.entries(commands).map(
    ([name, { operands, description }]) =>
      `  ${name.padEnd(12)} ${description}${operands && ` Takes ${operands}.`}`,
  )
  return `
Commands:
${rows.join('\n')}

Examples:
  convsim                                        serve on http://127.0.0.1:4010/v1
  convsim --port 0 --seed 42                     any free port, other data
  convsim --scenario "rate-limited;retry-after=3"  every request is rate limited
  convsim exec --env API_URL -- npm test         run a command against it
  convsim check my-contract.yaml                 check whether a document can be served
  convsim check --help                           show the flags of one command

${precedence}`
}

/** Returns the part of a command's help after the flags: examples and the precedence of values. */
export function describeExamples(command: CommandName): string {
  const examples = commands[command].examples.map((example) => `  convsim ${example}`)
  return `
Examples:
${examples.join('\n')}

${precedence}
See convsim --help for the other commands and all scenarios.`
}

const precedence = 'Precedence: flag > environment > default.'
