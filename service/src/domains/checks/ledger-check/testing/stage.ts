import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Queryable } from '../../../../db/database.ts'
import type { Clock } from '../../../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../../../kernel/ids.ts'
import { paise } from '../../../../kernel/money.ts'
import {
  FOLDED_BACK_MS,
  foldTransfers,
  type Holdings,
  idBehind,
  readFoldedBefore,
  SYSTEM,
} from '../../../../ledger/index.ts'
import type { Finding } from '../../../../operations/scan.ts'
import { fund, insertAgent, order, post, refundOrder, type TestNode } from '../../../../testing/builders.ts'
import { TEST_VAULT } from '../../../../testing/network.ts'
import { sumPayoutsPending } from '../../../banking/payouts/store.ts'
import { sumAuthorized } from '../../../payments/authorizations/store.ts'
import { sumHeld } from '../../../payments/escrow/store.ts'
import type { LedgerCheckContext } from '../../context.ts'
import { checkNextSlice } from '../check-ledger.ts'
import type { SliceLimits } from '../prove-slice.ts'
import { LEDGER_SUMS } from '../store.ts'

const holdings: Holdings = { escrow: sumHeld, authorizations: sumAuthorized, payouts: sumPayoutsPending }

export function testContext(database: Database, clock: Clock, logged: string[] = []): LedgerCheckContext {
  const error = (_facts: unknown, message?: string) => logged.push(String(message))
  // Agents of most tests have nothing but a wallet, and other rows are written without MACs.
  const findAlteredAgents = () => Promise.resolve([])
  return { database, clock, vault: TEST_VAULT, logger: { error }, holdings, findAlteredAgents, tables: [] }
}

/** Begins a round at once, however long ago the last one was, and goes through with it. */
export async function wholeRound(context: LedgerCheckContext, limits?: SliceLimits): Promise<number> {
  const { database } = context
  await database.query(`update scans set started_at = null where name = 'ledger check'`)
  for (let slices = 1; ; slices++) {
    await checkNextSlice(context, limits)
    const running = await database.query(`select 1 from scans where name = 'ledger check' and is_running`, [])
    if (running.length === 0) return slices
  }
}

export function faultsOf(database: Queryable): Promise<Finding[]> {
  return database.query<Finding>(
    `select subject, kind, detail from scan_findings where scan = 'ledger check' and healed_at is null
     order by kind, subject`,
    [],
  )
}

/** Folds what may be folded at this moment; transactions of other test files on this server delay it a little. */
export async function foldAll(database: Database, now: Date): Promise<void> {
  const before = firstUuidAt(new Date(now.getTime() - FOLDED_BACK_MS))
  while ((await idBehind(database, await readFoldedBefore(database, LEDGER_SUMS.name), before, 0)) !== null) {
    if ((await foldTransfers(database, LEDGER_SUMS, now)) === 0) await delay(WAIT_MS)
  }
}

const WAIT_MS = 5

export interface Wallets {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly debtor: Uuid
}

/** A ledger in which every kind of transfer has happened, with the records of what waits. */
export async function everyKind(node: TestNode, database: Database, clock: Clock): Promise<Wallets> {
  const [payer, payee, debtor] = [
    await insertAgent(database, clock.now()),
    await insertAgent(database, clock.now()),
    await insertAgent(database, clock.now()),
  ]
  await post(node.ledger, [payer], {
    ...{ kind: 'fund', debit: SYSTEM.gateway, credit: payer },
    ...{ amountPaise: paise(975_000n), feePaise: paise(25_000n) },
  })
  await fund(node.ledger, debtor, 5_000n)
  const words = { reference: 'r', note: 'n', idempotencyKey: 'k' }
  const { payment_id } = await node.pay(order(payer, payee, 10_000n, words))
  await node.pay(order(payer, payee, 20_000n))
  await node.pay(order(debtor, payee, 4_000n))
  await node.refund(await refundOrder(database, payment_id, 4_000n))
  const chargeback = { kind: 'chargeback', credit: SYSTEM.gateway } as const
  await post(node.ledger, [debtor], { ...chargeback, debit: debtor, amountPaise: paise(5_000n) })
  await post(node.ledger, [], { ...chargeback, debit: SYSTEM.chargebacks, amountPaise: paise(100n) })
  await post(node.ledger, [payer, payee], {
    ...{ kind: 'allocation', debit: payer, credit: payee, amountPaise: paise(500n) },
  })
  await everyHold(node, database, payer, payee)
  await everyPayout(node, database, payer)
  return { payer, payee, debtor }
}

async function everyHold(node: TestNode, database: Database, payer: Uuid, payee: Uuid): Promise<void> {
  const hold = async (amount: bigint) => {
    const sides = { debit: payer, credit: SYSTEM.escrow, linkedId: payee }
    return post(node.ledger, [payer], { kind: 'escrow_hold', amountPaise: paise(amount), ...sides })
  }
  const [released, refunded, held] = [await hold(1_000n), await hold(2_000n), await hold(3_000n)]
  await post(node.ledger, [payer, payee], {
    ...{ kind: 'escrow_release', debit: SYSTEM.escrow, credit: payee, linkedId: released.id },
    ...{ amountPaise: released.amountPaise, spentBy: payer },
  })
  await post(node.ledger, [payer], {
    ...{ kind: 'escrow_refund', debit: SYSTEM.escrow, credit: payer, linkedId: refunded.id },
    amountPaise: refunded.amountPaise,
    undoes: { postedMs: refunded.postedAt.getTime(), amountPaise: refunded.amountPaise, isWhole: true },
  })
  await database.query(
    `insert into escrows (agent_id, id, hold_sequence, amount_paise, created_at) values ($1, $2, $5, $3, $4)`,
    [payer, held.id, held.amountPaise, held.postedAt, held.debitSequence],
  )
}

async function everyPayout(node: TestNode, database: Database, wallet: Uuid): Promise<void> {
  const out = async (amount: bigint) => {
    const sides = { debit: wallet, credit: SYSTEM.payouts }
    return post(node.ledger, [wallet], { kind: 'payout', amountPaise: paise(amount), ...sides })
  }
  const [pending, failed, reversed] = [await out(100n), await out(200n), await out(300n)]
  const back = (amount: bigint) => ({ credit: wallet, amountPaise: paise(amount) })
  await post(node.ledger, [wallet], {
    ...{ kind: 'payout_failed', debit: SYSTEM.payouts, linkedId: failed.id },
    ...back(200n),
  })
  await post(node.ledger, [], {
    ...{ kind: 'payout_paid', debit: SYSTEM.payouts, credit: SYSTEM.gateway, linkedId: reversed.id },
    amountPaise: paise(300n),
  })
  await post(node.ledger, [wallet], {
    ...{ kind: 'payout_reversed', debit: SYSTEM.gateway, linkedId: reversed.id },
    ...back(300n),
  })
  await database.query(
    `insert into payouts (agent_id, id, owner_id, kind, amount_paise, provider, bank_account, bank_account_last4,
       bank_ifsc, created_at)
     values ($1, $2, $1, 'withdraw', $3, 'sandbox', '', '1234', 'HDFC0001234', $4)`,
    [wallet, pending.id, pending.amountPaise, pending.postedAt],
  )
}
