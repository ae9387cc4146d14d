import { wholeNumberFrom } from '../amount.ts'
import { usage } from '../failure.ts'
import { openPublic, type Session } from '../session.ts'
import { ist } from '../terminal/output.ts'
import { describe, type Run } from './command.ts'

export function clockCommand(run: Run) {
  return describe({
    name: 'clock',
    summary: 'Sandbox: advance the clock of the service, and do what falls due',
    examples: ['batua clock --advance 86400'],
  })
    .option('--advance <seconds>', 'by so many seconds; 0 does what is due now', wholeNumberFrom)
    .action(run(clock))
}

async function clock(session: Session, { advance }: { readonly advance?: number }): Promise<void> {
  if (advance === undefined) throw usage('By how much? batua clock --advance SECONDS')
  const client = await openPublic(session)
  // The key makes a repeat of the client safe: the clock moves once.
  const moved = await client.advanceClock({ advance_seconds: advance }, { signal: session.signal })
  session.out.body(moved)
  session.out.lines(`It is now ${ist(moved.now)} IST`)
}
