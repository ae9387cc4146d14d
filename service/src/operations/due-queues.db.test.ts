import { afterAll, expect } from 'vitest'
import type { Connection } from '../db/database.ts'
import { dueRefunds } from '../domains/banking/funding/refund-store.ts'
import { dueFundings } from '../domains/banking/funding/store.ts'
import { duePayouts } from '../domains/banking/payouts/store.ts'
import { dueNotifications } from '../domains/notifications/queue-store.ts'
import { dueBudgets } from '../domains/parties/organizations/member-store.ts'
import { dueAccounts } from '../domains/parties/owners/store.ts'
import { dueMessages } from '../domains/parties/text-message-store.ts'
import { dueListings } from '../domains/pay-per-call/discovery/store.ts'
import { expiredApprovals } from '../domains/payments/approvals/store.ts'
import { dueTimeouts } from '../domains/payments/escrow/store.ts'
import { database, test } from '../testing/database-test.ts'

let session: Connection

test.beforeAll(async () => {
  session = await database.connect()
  // Of an empty table any other plan costs as little.
  for (const other of ['seqscan', 'bitmapscan', 'sort']) await session.query(`set enable_${other} = off`)
  await session.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await session.release()
})

// The plans of `dueChecks` and `dueSubjects`, which join owners, depend on how many there are.
test.each([
  ['fundings_due', dueFundings],
  ['gateway_refunds_due', dueRefunds],
  ['payouts_due', duePayouts],
  ['owners_pending_bank_account', dueAccounts],
  ['text_messages_due', dueMessages],
  ['notifications_due', dueNotifications],
  ['listings_due', dueListings],
  ['escrows_due', dueTimeouts],
  ['approvals_due', expiredApprovals],
  ['agents_pending_budget', dueBudgets],
] as const)(
  'what is due, and whether anything is, is found by the index %s, in the order of the queue',
  async (index, { sql, due }) => {
    await session.query(`prepare ${index} as ${sql}`)
    const parameters = sql.includes('$4') ? `now(), '-infinity', gen_random_uuid(), 10` : 'now()'
    const rows = await session.query<{ 'QUERY PLAN': string }>(`explain execute ${index}(${parameters})`)
    const plan = rows.map(row => row['QUERY PLAN']).join('\n')
    expect(plan).toContain(`using ${index}`)
    expect(plan).not.toContain('Seq Scan')
    await session.query(`prepare any_${index} as select ${due}`)
    const probe = await session.query<{ 'QUERY PLAN': string }>(`explain execute any_${index}(now())`)
    expect(probe.map(row => row['QUERY PLAN']).join('\n')).toContain(`using ${index}`)
  },
)
