import { Command, InvalidArgumentError } from 'commander'
import { approvalsCommand } from './commands/approvals.ts'
import type { Run } from './commands/command.ts'
import { completionCommand } from './commands/completion.ts'
import { doctorCommand } from './commands/doctor.ts'
import { fetchCommand } from './commands/fetch.ts'
import { fundCommand } from './commands/fund.ts'
import { listenCommand } from './commands/listen.ts'
import { loginCommand, logoutCommand } from './commands/login.ts'
import { logsCommand } from './commands/logs.ts'
import { mcpCommand } from './commands/mcp.ts'
import { openCommand } from './commands/open.ts'
import { payCommand } from './commands/pay.ts'
import { statementCommand } from './commands/statement.ts'
import { clockCommand, triggerCommand } from './commands/trigger.ts'
import { verifyCommand } from './commands/verify.ts'
import { agentsCommand, whoamiCommand } from './commands/whoami.ts'

const VERSION = '0.2.0'

const EXIT_CODES = `
Exit codes:
  0 done                 4 waits for approval     8 conflict, or the key was used for another
  1 failed               5 not enough money       9 service away: safe to repeat
  2 usage                6 not allowed           10 outcome unknown: repeat with the same key
  3 refused by a limit   7 not found

Environment:
  BATUA_BASE_URL   the address of the service, instead of the profile's
  BATUA_AGENT_KEY  an agent's key, instead of the profile's
  BATUA_PROFILE    the profile to use, instead of default
  NO_COLOR         if it is not empty, a terminal gets no colours
  XDG_CONFIG_HOME  profiles are in its folder batua; ~/.config by default

Example:
  $ batua pay @translator 12.50 --dry-run`

const DEFAULT_TIMEOUT_S = 10

export function createProgram(run: Run, env: NodeJS.ProcessEnv): Command {
  const program = new Command('batua')
    .description('The command line of Batua, the wallet of software agents in India.')
    .version(VERSION)
    .option('--json', 'print JSON: the body of the service’s response, or {"error": …}')
    .option('--profile <name>', 'the profile to use', env['BATUA_PROFILE'] || 'default')
    .option('--timeout <seconds>', 'how long one request may take', secondsFrom, DEFAULT_TIMEOUT_S)
    .addHelpText('after', EXIT_CODES)
  program.commandsGroup('Access:')
  for (const make of [loginCommand, logoutCommand, whoamiCommand, doctorCommand, openCommand])
    program.addCommand(make(run))
  program.commandsGroup('Money:')
  for (const make of [
    payCommand,
    fetchCommand,
    fundCommand,
    approvalsCommand,
    statementCommand,
    agentsCommand,
  ])
    program.addCommand(make(run))
  program.commandsGroup('Assistants:')
  program.addCommand(mcpCommand(run, VERSION))
  program.commandsGroup('Proofs:')
  program.addCommand(verifyCommand(run))
  program.commandsGroup('Development:')
  for (const make of [listenCommand, triggerCommand, clockCommand, logsCommand]) program.addCommand(make(run))
  program.addCommand(completionCommand(run, () => program))
  program.addHelpCommand(new Command('help').argument('[command]').description('Show the help of a command'))
  return program
}

function secondsFrom(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 600))
    throw new InvalidArgumentError('It must be a number of seconds up to 600.')
  return seconds
}
