import {
  type listOwnerTransactions,
  type QueryOf,
  type ResponseOf,
  SEARCHED_LINES,
  type Transaction,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { page, pageOf } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { lineIdOf, type StatementScope, scopeOf } from './statement-scope.ts'
import { type StatementLine, selectLines, selectNamesOf } from './statement-store.ts'
import { transactionRecord } from './transaction-record.ts'

const LINES_AT_ONCE = 500

/**
 * The lines with a text among the newest lines of these wallets. Texts have no index, which would slow down every payment,
 * so a search reads a bounded number of lines and says how far it came.
 */
export async function searchStatementOf(
  database: Database,
  agentIds: readonly Uuid[],
  query: QueryOf<typeof listOwnerTransactions>,
  text: string,
): Promise<ResponseOf<typeof listOwnerTransactions>> {
  const { before, ...request } = pageOf(query)
  const { lines, isCut } = await newestLines(database, scopeOf(agentIds, query))
  const names = await selectNamesOf(database, lines)
  const wanted = folded(text)
  const found = lines
    .map(line => ({ id: lineIdOf(line), transaction: transactionRecord(line, names) }))
    .filter(({ transaction }) => textsOf(transaction).some(each => folded(each).includes(wanted)))
  const rest = before === null ? found : found.filter(({ id }) => id < before)
  const rows = rest.slice(request.offset, request.offset + request.fetch)
  const list = page('transactions', rows, ({ transaction }) => transaction, found.length, {
    ...request,
    before,
  })
  const oldest = lines.at(-1)
  return isCut && oldest !== undefined ? { ...list, searched_from: oldest.beganAt.toISOString() } : list
}

interface Newest {
  readonly lines: readonly StatementLine[]
  /** Older lines were not read. */
  readonly isCut: boolean
}

async function newestLines(database: Database, scope: StatementScope): Promise<Newest> {
  const lines: StatementLine[] = []
  for (;;) {
    const last = lines.at(-1)
    const before = last === undefined ? null : lineIdOf(last)
    const more = await selectLines(database, scope, {
      limit: LINES_AT_ONCE,
      fetch: LINES_AT_ONCE,
      offset: 0,
      before,
    })
    if (lines.length === SEARCHED_LINES) return { lines, isCut: more.length > 0 }
    lines.push(...more)
    if (more.length < LINES_AT_ONCE) return { lines, isCut: false }
  }
}

/** What a person may remember of a transaction. */
function textsOf(transaction: Transaction): string[] {
  const { id, agent_name, counterparty_name, counterparty_id, reference, note, utr } = transaction
  const { payment_id, funding_id, escrow_id } = transaction
  const texts = [agent_name, counterparty_name, counterparty_id, reference, note, utr, id, payment_id]
  return [...texts, funding_id, escrow_id].filter(text => typeof text === 'string')
}

/** In any case, and however the characters are composed. */
function folded(text: string): string {
  return text.normalize().toLowerCase()
}
