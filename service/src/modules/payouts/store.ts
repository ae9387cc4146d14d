import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { ifGenuine, type MacRow, macColumns } from '../../db/row-mac.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sink, Source } from '../../ledger/index.ts'
import { OWNER_ROWS } from '../owners/index.ts'
import { type Payout, type PayoutKey, transactionIdOf } from './payout.ts'
import { COLUMNS, ENDS, keyValues, logged, OF_KEYS, PROOF, type Proof, payoutMac, proven } from './row-mac.ts'

/** Payouts that decisions made, in the commit of their transfers. */
export const newPayoutSink: Sink<Payout> = {
  name: 'new payouts',
  write: (tx, payouts, vault) =>
    tx.query(INSERT_PAYOUTS, [
      arrayLiteral(payouts.map(payout => payout.agentId)),
      arrayLiteral(payouts.map(payout => payout.id)),
      arrayLiteral(payouts.map(payout => payout.ownerId)),
      arrayLiteral(payouts.map(payout => payout.kind)),
      arrayLiteral(payouts.map(payout => payout.amountPaise)),
      textArrayLiteral(payouts.map(payout => payout.provider)),
      arrayLiteral(payouts.map(payout => payout.bankAccount.toString('hex'))),
      textArrayLiteral(payouts.map(payout => payout.bankAccountLast4)),
      textArrayLiteral(payouts.map(payout => payout.bankIfsc)),
      arrayLiteral(payouts.map(payout => payout.settlementDay)),
      textArrayLiteral(payouts.map(payout => payout.requestKey)),
      textArrayLiteral(payouts.map(payout => payout.createdAt.toISOString())),
      textArrayLiteral(payouts.map(payout => payoutMac(vault, payout).toString('hex'))),
    ]),
}

const INSERT_PAYOUTS = `
  insert into payouts (agent_id, id, owner_id, kind, amount_paise, provider, bank_account, bank_account_last4, bank_ifsc,
    settlement_day, request_key, created_at, next_check_at, mac)
  select agent_id, id, owner_id, kind, amount, provider, decode(bank_account, 'hex'), last4, ifsc, settlement_day,
    request_key, created_at, created_at, decode(mac, 'hex')
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::int8[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::int4[], $11::text[], $12::timestamptz[], $13::text[])
    v(agent_id, id, owner_id, kind, amount, provider, bank_account, last4, ifsc, settlement_day, request_key,
      created_at, mac)`

export async function selectPayout(db: Queryable, key: PayoutKey): Promise<Payout | null> {
  const [row] = await db.query<Payout>(
    `select ${COLUMNS} from payouts p where p.agent_id = $1 and p.id = $2`,
    [key.agentId, key.id],
  )
  return row ?? null
}

export async function selectPayoutById(db: Queryable, id: Uuid): Promise<Payout | null> {
  const [row] = await db.query<Payout>(`select ${COLUMNS} from payouts p where p.id = $1`, [id])
  return row ?? null
}

/** What is on its way to banks, in paise. */
export async function sumPayoutsPending(db: Queryable): Promise<Paise> {
  const [row] = await db.query<{ sum: Paise }>(
    `select coalesce(sum(amount_paise), 0)::int8 as sum from payouts where status = 'pending'`,
    [],
  )
  return row?.sum ?? ZERO_PAISE
}

/**
 * Takes payouts that are due and counts the attempt before it is made, so that a crash is followed by a question. Their
 * next check is put off: who dies with them in hand leaves them to be taken again then, and no two nodes take the same.
 */
export async function claimDuePayouts(
  db: Queryable,
  vault: Vault,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<Payout[]> {
  const rows = await db.query<Payout & Proof>(
    `update payouts p set next_check_at = $2, attempts = p.attempts + case p.status when 'pending' then 1 else 0 end
     from (select agent_id, id from payouts where next_check_at <= $1 order by next_check_at limit $3
           for update skip locked) due
     where p.agent_id = due.agent_id and p.id = due.id
     returning ${COLUMNS}, p.mac, ${ENDS}, null::text[] as logged`,
    [now, leaseUntil, limit],
  )
  return rows.flatMap(row => ifGenuine(() => proven(vault, row)))
}

/** Only while the payout is as it was proven; else it is asked for again the next time. */
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
      payoutMac(vault, { ...payout, beneficiaryId }),
      payoutMac(vault, payout),
    ],
  )
}

/**
 * Notes that a payout is being sent, before it is. False: it has ended, by its row or by the log, or somebody else has
 * taken it since, and whoever asks must not send it.
 */
export async function markSent(
  db: Queryable,
  payout: Pick<Payout, 'agentId' | 'id' | 'attempts'>,
  now: Date,
): Promise<boolean> {
  const { agentId, id, attempts } = payout
  const marked = await db.query(
    `update payouts set last_sent_at = $4
     where agent_id = $1 and id = $2 and attempts = $3 and status = 'pending' and ${logged('$5')} is null returning id`,
    [agentId, id, attempts, now, transactionIdOf(payout)],
  )
  return marked.length === 1
}

/** The owner as the bank wants to know it; the phone is sealed. */
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

/** Payouts under their own lock, for decisions in the posting engine; the wallet's account is locked before. */
export const payoutSource: Source<Payout> = {
  name: 'payouts',
  async load(tx, keys, _nowMs, vault) {
    const rows = await tx.query<Payout & Proof>(
      `select ${COLUMNS}, ${PROOF} from ${OF_KEYS} order by p.id for no key update of p`,
      keyValues(keys.map(payoutOfKey)),
    )
    return new Map(rows.map(row => [keyOf(row), proven(vault, row)]))
  },
}

export function keyOf({ agentId, id }: PayoutKey): string {
  return `${agentId} ${id}`
}

function payoutOfKey(key: string): PayoutKey {
  const [agentId = '', id = ''] = key.split(' ')
  return { agentId, id }
}

/** What decisions change of payouts. Of several changes of one in a batch the last holds, as it saw the others. */
export const payoutSink: Sink<Payout> = {
  name: 'payouts',
  write(tx, rows, vault) {
    const payouts = [...new Map(rows.map(row => [row.id, row])).values()]
    return tx.query(UPDATE_PAYOUTS, [
      payouts.map(payout => payout.agentId),
      payouts.map(payout => payout.id),
      payouts.map(payout => payout.status),
      payouts.map(payout => payout.providerPayoutId),
      payouts.map(payout => payout.utr),
      payouts.map(payout => payout.reason),
      payouts.map(payout => payout.closedAt),
      payouts.map(payout => payout.reversedAt),
      payouts.map(payout => payout.nextCheckAt),
      payouts.map(payout => payoutMac(vault, payout).toString('hex')),
    ])
  },
}

const UPDATE_PAYOUTS = `
  update payouts p set status = v.status, provider_payout_id = v.provider_payout_id, utr = v.utr, reason = v.reason,
    closed_at = v.closed_at, reversed_at = v.reversed_at, next_check_at = v.next_check_at,
    mac = decode(v.mac, 'hex')
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
    $8::timestamptz[], $9::timestamptz[], $10::text[])
    v(agent_id, id, status, provider_payout_id, utr, reason, closed_at, reversed_at, next_check_at, mac)
  where p.agent_id = v.agent_id and p.id = v.id`
