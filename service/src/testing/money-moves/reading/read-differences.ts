import { checkLedger } from '../../../ledger/index.ts'
import { countMoves } from '../run-moves.ts'
import type { MoneyWorld } from '../world.ts'
import { readBankRecords } from './bank-records.ts'
import { checkEvents } from './check-events.ts'
import { checkFundings } from './check-fundings.ts'
import { checkOwners, checkSettled } from './check-owners.ts'
import { checkPayouts } from './check-payouts.ts'
import { checkWallets } from './check-wallets.ts'
import { readOurRecords } from './our-records.ts'

/** Compares the service's records with the banks' once nothing is due, and returns all differences. */
export async function readDifferences(world: MoneyWorld): Promise<string[]> {
  const { outside, clock, payments } = world
  const bank = await readBankRecords(outside, clock.now())
  const ours = await readOurRecords(outside)
  const report = await checkLedger(outside)
  return [
    ...checkFundings(bank, ours),
    ...checkPayouts(bank, ours),
    ...checkWallets(bank, ours, payments, report),
    ...checkEvents(ours),
    ...(await checkOwners(outside)),
    ...(await checkSettled(outside)),
  ]
}

/** Counts how each funding and payout ended, so that a run without some kind of end fails. */
export async function countEnds(world: MoneyWorld): Promise<void> {
  const { outside, tally, requestLog } = world
  const ends = await outside.query<{ name: string; count: number }>(ENDS, [])
  for (const { name, count } of ends) tally.counted(`end: ${name}`, count)
  tally.counted('moves', await countMoves(world))
  tally.counted('payments between agents', world.payments.length)
  tally.counted('sent again after asking', requestLog.repeated())
}

const ENDS = `
  select 'funding ' || status || coalesce(' ' || failure_reason, '') as name, count(*)::int4 as count
    from fundings group by 1
  union all
  select kind || ' ' || status, count(*)::int4 from payouts group by 1
  union all
  select 'escrow ' || status, count(*)::int4 from escrows group by 1
  union all
  select 'refund ' || reason || ' ' || status, count(*)::int4 from gateway_refunds group by 1
  union all
  select 'wallet below zero by a chargeback', count(*)::int4 from transfers
    where kind = 'chargeback' and debit_balance_paise < 0
  union all
  select 'kyc ' || (data ->> 'kyc_status'), count(*)::int4 from events where name = 'owner.kyc.updated' group by 1`
