import { Command } from 'commander'
import type { ExitCode } from '../failure.ts'
import type { Session } from '../session.ts'

/** What a command does; it resolves with the exit code, 0 if absent. */
export type Action<Options> = (
  session: Session,
  options: Options,
  args: readonly string[],
) => Promise<ExitCode | void>

export interface Described {
  readonly name: string
  readonly summary: string
  /** What is worth knowing beyond the summary. */
  readonly description?: string
  readonly examples: readonly string[]
}

/** A command with its help. `run` starts its action. */
export function describe({ name, summary, description, examples }: Described): Command {
  return new Command(name)
    .summary(summary)
    .description(description === undefined ? `${summary}.` : `${summary}. ${description}`)
    .addHelpText('after', `\nExample:\n${examples.map(each => `  $ ${each}`).join('\n')}`)
}

/** Starts an action with a session; given by the program. */
export type Run = <Options>(action: Action<Options>) => (this: Command) => Promise<void>
