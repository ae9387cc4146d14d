import type { Database, Queryable } from '../db/database.ts'
import type { Uuid } from '../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../kernel/money.ts'
import { SYSTEM } from './accounts.ts'
import { TRANSFER_KINDS, type TransferKind } from './transfers.ts'

/** The result of a check of the whole ledger. It passes when the lists are empty and the sum is 0. */
export interface LedgerReport {
  readonly balanced: boolean
  /** The sum of all wallets and all system accounts, in paise; must be 0. */
  readonly sumPaise: Paise
  /** Balances of the system accounts, in paise, summed from the transfers. */
  readonly system: Record<string, Paise>
  /** Wallets whose stored balance or sequence differs from their transfers. */
  readonly wrongBalances: readonly Uuid[]
  /** Wallets whose history has a gap, or a transfer whose balance does not follow from the one before. */
  readonly brokenHistories: readonly Uuid[]
  /** Wallets below zero without a chargeback. */
  readonly overdrawn: readonly Uuid[]
  /** Balances of these system accounts minus their records, in paise; must be 0. 0 without `holdings`. */
  readonly unexplained: {
    readonly escrowPaise: Paise
    readonly authorizationsPaise: Paise
    readonly payoutsPaise: Paise
  }
}

/** The expected balances of system accounts, from the records of the money that waits there; in paise. */
export interface Holdings {
  /** The sum of all held escrows. */
  escrow(db: Queryable): Promise<Paise>
  /** The sum of what authorizations have set aside and not moved yet. */
  authorizations(db: Queryable): Promise<Paise>
  /** The sum of all pending payouts. */
  payouts(db: Queryable): Promise<Paise>
}

const MAX_LISTED = 100

const SIDES = `
  select debit_account as account, debit_sequence as sequence, debit_balance_paise as balance,
    -(amount_paise + fee_paise) as change, kind from transfers where debit_sequence is not null
  union all
  select credit_account, credit_sequence, credit_balance_paise, amount_paise, kind
    from transfers where credit_sequence is not null`

const WRONG_BALANCES = `
  select a.id from accounts a
  left join (select account, sum(change) as balance, count(*) as sequence from (${SIDES}) s group by account) t
    on t.account = a.id
  where a.balance_paise <> coalesce(t.balance, 0) or a.sequence <> coalesce(t.sequence, 0)
  limit ${MAX_LISTED}`

const BROKEN_HISTORIES = `
  select distinct account as id from (
    select account, sequence, balance, change,
      lag(sequence, 1, 0::int8) over history as before,
      lag(balance, 1, 0::int8) over history as balance_before
    from (${SIDES}) s window history as (partition by account order by sequence)
  ) steps
  where sequence <> before + 1 or balance is distinct from balance_before + change
  limit ${MAX_LISTED}`

const OVERDRAWN = `
  select a.id from accounts a
  where a.balance_paise < 0
    and not exists (select 1 from transfers t where t.debit_account = a.id and t.kind = 'chargeback')
  limit ${MAX_LISTED}`

/**
 * Checks every account and transfer of the ledger in one snapshot, and with `holdings` that the accounts of
 * waiting money equal their records. It reads the whole history, so it is not for the path of a payment.
 */
export function checkLedger(database: Database, holdings?: Holdings): Promise<LedgerReport> {
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    return checkSnapshot(tx, holdings)
  })
}

async function checkSnapshot(tx: Queryable, holdings: Holdings | undefined): Promise<LedgerReport> {
  const [wrong, broken, overdrawn, wallets] = [
    await ids(tx, WRONG_BALANCES),
    await ids(tx, BROKEN_HISTORIES),
    await ids(tx, OVERDRAWN),
    await tx.query<{ sum: bigint }>(`select coalesce(sum(balance_paise), 0)::int8 as sum from accounts`, []),
  ]
  const system = await systemBalances(tx)
  const sum = Object.values(system).reduce((total, balance) => total + balance, wallets[0]?.sum ?? 0n)
  const unexplained = {
    escrowPaise: await moreThan(tx, system['escrow'], holdings?.escrow),
    authorizationsPaise: await moreThan(tx, system['authorizations'], holdings?.authorizations),
    payoutsPaise: await moreThan(tx, system['payouts'], holdings?.payouts),
  }
  const isExplained = Object.values(unexplained).every(paise => paise === 0n)
  return {
    balanced: sum === 0n && wrong.length + broken.length + overdrawn.length === 0 && isExplained,
    sumPaise: sum as Paise,
    system,
    wrongBalances: wrong,
    brokenHistories: broken,
    overdrawn,
    unexplained,
  }
}

async function moreThan(
  tx: Queryable,
  balance: Paise | undefined,
  recorded: ((db: Queryable) => Promise<Paise>) | undefined,
): Promise<Paise> {
  return recorded === undefined ? ZERO_PAISE : (((balance ?? 0n) - (await recorded(tx))) as Paise)
}

async function ids(tx: Queryable, text: string): Promise<Uuid[]> {
  const rows = await tx.query<{ id: Uuid }>(text, [])
  return rows.map(row => row.id)
}

/** The balances of the accounts without a row: credits minus debits plus fees, in paise, by their name in `SYSTEM`. */
export async function systemBalances(tx: Queryable): Promise<Record<string, Paise>> {
  const balances: Record<string, Paise> = {}
  const moved = await tx.query<{ account: Uuid; balance: bigint }>(
    `select account, sum(change)::int8 as balance from (
       select debit_account as account, -(amount_paise + fee_paise) as change from transfers
         where debit_account = any($1::uuid[])
       union all
       select credit_account, amount_paise from transfers where credit_account = any($1::uuid[])
     ) sides group by account`,
    [Object.values(SYSTEM)],
  )
  const fees = await tx.query<{ kind: TransferKind; fee: bigint }>(
    `select kind, sum(fee_paise)::int8 as fee from transfers where fee_paise > 0 group by kind`,
    [],
  )
  for (const [name, id] of Object.entries(SYSTEM)) {
    const direct = moved.find(row => row.account === id)?.balance ?? 0n
    const earned = fees.filter(row => TRANSFER_KINDS[row.kind].feeAccount === id)
    balances[name] = earned.reduce((total, row) => total + row.fee, direct) as Paise
  }
  return balances
}
