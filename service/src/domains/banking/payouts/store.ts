import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type MacRow, macColumns, writeOldMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { entity } from '../../../operations/entity.ts'
import { OWNER_ROWS } from '../../parties/index.ts'
import { countAuthorizedOfPlatform, countHeldOfPlatform } from '../../payments/index.ts'
import type { Payout, PayoutKey, PayoutState } from './payout.ts'

/**
 * Payouts, written under the lock of the wallet's account and under the row's own, because the sending job writes too.
 */
export const payouts = entity<Payout, 'agentId' | 'id'>({
  table: 'payouts',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    ownerId: 'owner_id uuid',
    kind: 'kind text',
    amountPaise: 'amount_paise int8',
    provider: 'provider text',
    bankAccount: 'bank_account bytea',
    bankAccountLast4: 'bank_account_last4 text',
    bankIfsc: 'bank_ifsc text',
    beneficiaryId: 'beneficiary_id text',
    requestKey: 'request_key text',
    settlementDay: 'settlement_day int4',
    createdAt: 'created_at timestamptz',
    status: 'status text',
    utr: 'utr text',
    attempts: 'attempts int4',
    lastSentAt: 'last_sent_at timestamptz',
    providerPayoutId: 'provider_payout_id text',
    reason: 'reason text',
    closedAt: 'closed_at timestamptz',
    reversedAt: 'reversed_at timestamptz',
    nextCheckAt: 'next_check_at timestamptz',
  },
  changes: ['status', 'utr', 'providerPayoutId', 'reason', 'closedAt', 'reversedAt', 'nextCheckAt'],
  uncovered: {
    attempts: 'the provider takes a payout’s id once, however often it is sent',
    last_sent_at: 'the provider takes a payout’s id once, however often it is sent',
    provider_payout_id: 'the provider is queried by the payout’s own id',
    reason: 'is only shown',
    closed_at: 'is only shown',
    reversed_at: 'is only shown',
    next_check_at: 'says when the provider is queried, not what it returns',
  },
  // A payout that ended is not sent or credited back again.
  recorded: {
    posted: `(select array_agg(t.kind::text) from transfers t where t.linked_id = r.id
      and t.kind in ('payout_paid', 'payout_failed', 'payout_reversed'))`,
    prefix: 'txn',
    logged: ['payout.completed', 'payout.failed', 'payout.reversed'],
    agrees: ({ status }, posted, logged) =>
      status === statusAfter(posted ?? []) && (logged === null || status === statusAfter(logged)),
  },
  locksRow: true,
})

/** By the kinds of its transfers, or by the actions of its audit entries. */
function statusAfter(ends: readonly string[]): PayoutState {
  const has = (...names: string[]) => names.some(name => ends.includes(name))
  if (has('payout_failed', 'payout.failed')) return 'failed'
  if (has('payout_reversed', 'payout.reversed')) return 'reversed'
  return has('payout_paid', 'payout.completed') ? 'completed' : 'pending'
}

export async function selectPayout(db: Queryable, key: PayoutKey): Promise<Payout | null> {
  const [row] = await db.query<Payout>(
    `select ${payouts.selected} from payouts r where r.agent_id = $1 and r.id = $2`,
    [key.agentId, key.id],
  )
  return row ?? null
}

export async function selectPayoutById(db: Queryable, id: Uuid): Promise<Payout | null> {
  const [row] = await db.query<Payout>(`select ${payouts.selected} from payouts r where r.id = $1`, [id])
  return row ?? null
}

/** The sum of all pending payouts, in paise. */
export async function sumPayoutsPending(db: Queryable): Promise<Paise> {
  const [row] = await db.query<{ sum: Paise }>(
    `select coalesce(sum(amount_paise), 0)::int8 as sum from payouts where status = 'pending'`,
    [],
  )
  return row?.sum ?? ZERO_PAISE
}

/** Payouts to send or to query. After a crash the next attempt queries first. */
export const duePayouts = payouts.leasedRows({
  due: 'next_check_at',
  // Longer than all the calls of one attempt may take.
  lease: `interval '120 seconds'`,
  counting: `attempts = r.attempts + case r.status when 'pending' then 1 else 0 end`,
  atOnce: 50,
})

/**
 * Written only if the payout is as it was when its MAC was verified; otherwise the beneficiary is requested again next
 * time.
 */
export async function recordBeneficiary(
  db: Queryable,
  vault: Vault,
  payout: Payout,
  beneficiaryId: string,
): Promise<void> {
  await db.query(
    `update payouts set beneficiary_id = $3, mac = $4 where agent_id = $1 and id = $2 and mac = $5`,
    [
      payout.agentId,
      payout.id,
      beneficiaryId,
      payouts.mac(vault, { ...payout, beneficiaryId }),
      payouts.mac(vault, payout),
    ],
  )
}

/**
 * Records that a payout is being sent, before it is. Returns false if it has ended, by its row or by the log, or
 * another worker has claimed it since; then the caller must not send it.
 */
export async function markSent(
  db: Queryable,
  payout: Pick<Payout, 'agentId' | 'id' | 'attempts'>,
  now: Date,
): Promise<boolean> {
  const { agentId, id, attempts } = payout
  const marked = await db.query(
    `update payouts set last_sent_at = $4
     where agent_id = $1 and id = $2 and attempts = $3 and status = 'pending'
       and ${payouts.logged('$5')} is null returning id`,
    [agentId, id, attempts, now, payouts.targetOf(payout)],
  )
  return marked.length === 1
}

/** The owner as the bank requires it; the phone number is encrypted. */
export async function selectHolder(
  db: Queryable,
  ownerId: Uuid,
): Promise<({ readonly name: string; readonly phone: Buffer } & MacRow) | null> {
  const [row] = await db.query<{ name: string; phone: Buffer } & MacRow>(
    `select o.name, o.phone, ${macColumns(OWNER_ROWS, 'o')} from owners o where o.id = $1`,
    [ownerId],
  )
  return row ?? null
}

/**
 * Writes the MACs of rows from before there were MACs, a bounded number; returns the number written. `convert` encrypts
 * for the owner.
 */
export async function completePayouts(
  tx: Queryable,
  vault: Vault,
  limit: number,
  convert: (ownerId: Uuid, bankAccount: Buffer) => Buffer,
): Promise<number> {
  const old = await tx.query<Payout>(
    `select ${payouts.selected} from payouts r where r.mac is null limit $1 for update`,
    [limit],
  )
  const converted = old.map(payout => ({
    ...payout,
    bankAccount: convert(payout.ownerId, payout.bankAccount),
  }))
  await tx.query(
    `update payouts p set bank_account = decode(v.account, 'hex') from unnest($1::uuid[], $2::text[]) v(id, account)
     where p.id = v.id`,
    [
      arrayLiteral(converted.map(({ id }) => id)),
      textArrayLiteral(converted.map(({ bankAccount }) => bankAccount.toString('hex'))),
    ],
  )
  return writeOldMacs(
    tx,
    'payouts',
    converted.map(payout => ({ id: payout.id, mac: payouts.mac(vault, payout) })),
  )
}

interface MoneyElsewhere {
  readonly withEscrow: number
  readonly withAuthorization: number
  readonly withPayout: number
}

/** How many agents of a platform have money outside their wallets: in escrow, set aside, or in a pending payout. */
export async function countMoneyElsewhere(tx: Queryable, platformId: Uuid): Promise<MoneyElsewhere> {
  return {
    withEscrow: await countHeldOfPlatform(tx, platformId),
    withAuthorization: await countAuthorizedOfPlatform(tx, platformId),
    withPayout: await countPendingOfPlatform(tx, platformId),
  }
}

/** The number of a platform's agents with a pending payout. While their accounts are locked it does not grow. */
async function countPendingOfPlatform(tx: Queryable, platformId: Uuid): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int4 as count from agents a where a.platform_id = $1
       and exists (select 1 from payouts p where p.agent_id = a.id and p.status = 'pending')`,
    [platformId],
  )
  return row?.count ?? 0
}
