import type { CommandTable } from '../command-line/parser/parse.ts'
import type { CliCommand } from '../command-line/process/command.ts'
import { serveCommand } from '../command-line/serve/command.ts'
import { assumptionsCommand } from './assumptions/command.ts'
import { checkCommand } from './check/command.ts'
import { driftCommand } from './drift/command.ts'
import { eachCommand, execCommand } from './exec/command.ts'
import { healthcheckCommand } from './healthcheck/command.ts'
import { mcpCommand, skillCommand } from './mcp/command.ts'
import './mcp/mcp.ts'
import { proxyCommand } from './proxy/command.ts'
import { recordCommand } from './record/command.ts'
import { scenariosCommand } from './scenarios/command.ts'

/** The program's commands. `--help` groups them by purpose, in this order. The first command is the default. */
export const commands: CommandTable<CliCommand> = [
  serveCommand,
  execCommand,
  eachCommand,
  checkCommand,
  scenariosCommand,
  assumptionsCommand,
  driftCommand,
  healthcheckCommand,
  proxyCommand,
  recordCommand,
  mcpCommand,
  skillCommand,
]
