import type { Database } from '../../../db/database.ts'

export interface Filling {
  /** The number of agents; their ids are derived from the numbers 0, 1, 2 and so on. */
  readonly agents: number
  readonly payments: number
  readonly firstAt: Date
  /** The payments are spread evenly over this time. */
  readonly spanMs: number
  /** How many of the agents pay; the others only receive. Absent: all. */
  readonly payers?: number
  readonly mostPaise: number
}

const UUID_AT = (ms: string, number: string) => `
  (substr(lpad(to_hex(${ms}), 12, '0'), 1, 8) || '-' || substr(lpad(to_hex(${ms}), 12, '0'), 9, 4) || '-7' ||
    lpad(to_hex(${number} % 4096), 3, '0') || '-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`

/**
 * Inserts payments directly into the ledger's tables, for tests of query plans and speed; other tables do not match.
 * Each agent pays twenty others, and amounts are uniform up to the maximum.
 */
export async function fillLedger(database: Database, filling: Filling): Promise<void> {
  const { agents, payments, firstAt, spanMs, payers = agents, mostPaise } = filling
  await database.query(
    `insert into agents (id, platform_id, owner_id, handle, name, key_hash, key_last4, public_key, created_at)
     select md5('agent ' || n)::uuid, md5('platform')::uuid, md5('owner ' || n)::uuid, 'agent-' || n, 'An agent',
       '', 'abcd', '', now()
     from generate_series(0, $1::int4 - 1) n on conflict do nothing`,
    [agents],
  )
  await database.query(
    `insert into transfers (debit_account, id, credit_account, kind, amount_paise, fee_paise, posted_at, seal)
     select md5('agent ' || payer)::uuid, ${UUID_AT('ms', 'n')},
       md5('agent ' || (payer + 1 + (n / $3 * 7919) % 20 * 37) % $2)::uuid, 'payment',
       1 + (random() * ($6 - 1))::int8, 100, to_timestamp(ms / 1000.0), ''
     from (
       select n, n % $3 as payer, $4::int8 + n * $5::int8 / $1::int8 as ms
       from generate_series(0, $1::int8 - 1) n
     ) p`,
    [payments, agents, payers, firstAt.getTime(), spanMs, mostPaise],
  )
  await database.query('analyze transfers')
  await database.query('analyze agents')
}
