import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { usage } from '../failure.ts'
import { answerOf, withQuery } from '../raw-call.ts'
import { agentOf, open, type Session } from '../session.ts'
import { amounts, inr, ist } from '../terminal/output.ts'
import { describe, type Run } from './command.ts'

interface StatementOptions {
  readonly agent?: string
  readonly from?: string
  readonly to?: string
  readonly csv?: boolean
}

/** What is shown of a statement (`GET /v1/agents/{agent_id}/statement`). */
interface Statement {
  readonly opening_balance: number
  readonly closing_balance: number
  readonly lines: readonly {
    readonly posted_at: string
    readonly type: string
    readonly counterparty_name: string | null
    readonly reference: string | null
    readonly status: string
    readonly change: number
    readonly running_balance: number
  }[]
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
  const isOfAll = access.kind === 'owner' && agent === undefined
  const path = isOfAll
    ? '/api/web/statement'
    : `/v1/agents/${await agentOf(session, access, agent)}/statement`
  const query = { from_date: from, to_date: to, format: csv ? 'csv' : 'json' }
  const response = await answerOf(access, withQuery(path, query), { signal })
  if (csv) return copied(response)
  const found = (await response.json()) as Statement
  out.body(found)
  out.table(
    ['TIME (IST)', 'TYPE', 'WITH', 'REFERENCE', 'STATUS', amounts('CHANGE'), amounts('BALANCE')],
    found.lines.map(line => [
      ist(line.posted_at),
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

/** A statement that ends early is an error, and not a shorter statement. */
async function copied({ body }: Response): Promise<void> {
  if (body !== null) await pipeline(Readable.from(body), process.stdout, { end: false })
}
