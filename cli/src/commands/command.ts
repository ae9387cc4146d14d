import { Command, InvalidArgumentError } from 'commander'
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

const AMOUNT = /^(?:0|[1-9]\d{0,10})(?:\.\d{1,2})?$/

/** An amount in INR as the service takes it: exact to the paisa. */
export function amountFrom(text: string): number {
  if (!AMOUNT.test(text)) throw new InvalidArgumentError('It must be an amount in INR, such as 12.50.')
  return Number(text)
}

/** A whole number from 0 on. */
export function wholeNumberFrom(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
