import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Download, GetOwnerStatementInput, Statement } from '@batua/sdk'
import { usage } from '../failure.ts'
import { amounts, inr, ist } from '../output.ts'
import { printableLines } from '../printable.ts'
import { agentOf, open, type Session } from '../session.ts'
import { describe, type Run } from './command.ts'

interface StatementOptions {
  readonly agent?: string
  readonly from?: string
  readonly to?: string
  readonly csv?: boolean
}

export function statementCommand(run: Run) {
  return describe({
    name: 'statement',
    summary: 'Print the statement of a wallet',
    description:
      'Days are IST days, and both ends are included. An owner without --agent gets all her agents.',
    examples: ['batua statement --from 2026-11-01 --to 2026-11-30', 'batua statement --csv > november.csv'],
  })
    .option('--agent <agent>', 'the agent, if a platform or an owner is logged in')
    .option('--from <date>', 'the first day, or a time')
    .option('--to <date>', 'the last day, or a time')
    .option('--csv', 'as CSV')
    .action(run(statement))
}

async function statement(session: Session, { agent, from, to, csv }: StatementOptions): Promise<void> {
  const { out, signal } = session
  if (csv && out.json) throw usage('--csv and --json exclude each other')
  const access = await open(session, 'agent', 'platform', 'owner')
  const { client } = access
  const query: GetOwnerStatementInput = {
    ...(from === undefined ? {} : { from_date: from }),
    ...(to === undefined ? {} : { to_date: to }),
    format: csv ? 'csv' : 'json',
  }
  const isOfAll = access.kind === 'owner' && agent === undefined
  const file = isOfAll
    ? await client.getOwnerStatement(query, { signal })
    : await client.getStatement({ ...query, agent_id: await agentOf(session, access, agent) }, { signal })
  if (csv) return copied(session, file)
  const found = await file.json()
  out.body(found)
  out.table(
    [
      'TIME (IST)',
      ...(isOfAll ? ['AGENT'] : []),
      'TYPE',
      'WITH',
      'REFERENCE',
      'STATUS',
      amounts('CHANGE'),
      amounts('BALANCE'),
    ],
    found.lines.map(line => [
      ist(line.posted_at),
      ...(isOfAll ? [line.agent_name] : []),
      line.type,
      line.counterparty_name,
      line.reference,
      line.status,
      line.change,
      line.running_balance,
    ]),
  )
  out.lines(
    '',
    `Opening balance ${inr(found.opening_balance)} INR, closing balance ${inr(found.closing_balance)} INR`,
  )
}

/** A statement that ends early is an error, and not a shorter statement. A terminal would obey some characters. */
async function copied({ out, stdout }: Session, file: Download<Statement>): Promise<void> {
  if (out.isTerminal) return out.lines(printableLines((await file.text()).replaceAll('\r\n', '\n').trimEnd()))
  await pipeline(Readable.from(file.body), stdout, { end: false })
}
