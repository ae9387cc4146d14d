import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import {
  type EngineTable,
  ifGenuine,
  type MacRow,
  macColumns,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../../db/row-mac.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sink, Source } from '../../ledger/index.ts'
import { OWNER_ROWS } from '../owners/index.ts'
import type { Payout, PayoutKey, PayoutState } from './payout.ts'

const COLUMNS = `
  p.id, p.agent_id as "agentId", p.owner_id as "ownerId", p.kind, p.amount_paise as "amountPaise", p.provider,
  p.bank_account as "bankAccount", p.bank_account_last4 as "bankAccountLast4", p.bank_ifsc as "bankIfsc",
  p.beneficiary_id as "beneficiaryId", p.request_key as "requestKey", p.settlement_day as "settlementDay",
  p.created_at as "createdAt", p.attempts, p.last_sent_at as "lastSentAt", p.status,
  p.provider_payout_id as "providerPayoutId", p.utr, p.reason, p.closed_at as "closedAt",
  p.reversed_at as "reversedAt", p.next_check_at as "nextCheckAt"`

/** What a payout's MAC covers: whose money goes where, and what became of it. */
function macValues(payout: Payout): unknown[] {
  return [
    payout.agentId,
    payout.id,
    payout.ownerId,
    payout.kind,
    payout.amountPaise,
    payout.provider,
    payout.bankAccount,
    payout.bankAccountLast4,
    payout.bankIfsc,
    payout.beneficiaryId,
    payout.requestKey,
    payout.settlementDay,
    payout.createdAt,
    payout.status,
    payout.utr,
  ]
}

export function payoutMac(vault: Vault, payout: Payout): Buffer {
  return rowMacOf(vault, 'payouts', macValues(payout))
}

/** Its MAC, and how the book says that it ended. */
const PROOF = `p.mac, (select array_agg(t.kind::text) from transfers t where t.linked_id = p.id
    and t.kind in ('payout_paid', 'payout_failed', 'payout_reversed')) as ends`

interface Proof {
  readonly mac: Buffer | null
  readonly ends: readonly string[] | null
}

/** A payout that the service wrote, and that stands as the book has it: one that ended is not sent or given back again. */
function proven(vault: Vault, { mac, ends, ...payout }: Payout & Proof): Payout {
  const isAsPosted = payout.status === statusIn(ends ?? [])
  requireMac(vault, { table: 'payouts', id: payout.id, values: macValues(payout), mac }, isAsPosted)
  return payout
}

/** Payouts as the check of all rows sees them. */
export const PAYOUT_ROWS: EngineTable = {
  table: 'payouts',
  columns: [
    'agent_id',
    'id',
    'owner_id',
    'kind',
    'amount_paise',
    'provider',
    'bank_account',
    'bank_account_last4',
    'bank_ifsc',
    'beneficiary_id',
    'request_key',
    'settlement_day',
    'created_at',
    'status',
    'utr',
  ],
  uncovered: {
    attempts: 'the provider takes a payout’s id once, however often it is sent',
    last_sent_at: 'the provider takes a payout’s id once, however often it is sent',
    provider_payout_id: 'the provider is asked by the payout’s own id',
    reason: 'is only shown',
    closed_at: 'is only shown',
    reversed_at: 'is only shown',
    next_check_at: 'says when the provider is asked, not what it answers',
  },
  async check(db, vault, after, limit) {
    const rows = await db.query<Payout & Proof>(
      `select ${COLUMNS}, ${PROOF} from payouts p where p.id > $1 order by p.id limit $2`,
      [after, limit],
    )
    return rows.map(({ mac, ends, ...payout }) => {
      const row = { table: 'payouts', id: payout.id, values: macValues(payout), mac }
      return { id: payout.id, why: whyRefused(vault, row, payout.status === statusIn(ends ?? [])) }
    })
  },
}

function statusIn(ends: readonly string[]): PayoutState {
  if (ends.includes('payout_failed')) return 'failed'
  if (ends.includes('payout_reversed')) return 'reversed'
  return ends.includes('payout_paid') ? 'completed' : 'pending'
}

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
     returning ${COLUMNS}, ${PROOF}`,
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
 * Notes that a payout is being sent, before it is. False: it has ended, or somebody else has taken it since, and
 * whoever asks must not send it.
 */
export async function markSent(
  db: Queryable,
  { agentId, id, attempts }: Pick<Payout, 'agentId' | 'id' | 'attempts'>,
  now: Date,
): Promise<boolean> {
  const marked = await db.query(
    `update payouts set last_sent_at = $4
     where agent_id = $1 and id = $2 and attempts = $3 and status = 'pending' returning id`,
    [agentId, id, attempts, now],
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
    const parsed = keys.map(payoutOfKey)
    const rows = await tx.query<Payout & Proof>(
      `select ${COLUMNS}, ${PROOF} from payouts p where p.agent_id = any($1::uuid[]) and p.id = any($2::uuid[])
       order by p.id for no key update of p`,
      [arrayLiteral(parsed.map(key => key.agentId)), arrayLiteral(parsed.map(key => key.id))],
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

/** Gives payouts from before there were MACs theirs, a bounded number; answers how many. `convert` encrypts for the owner. */
export async function completePayouts(
  tx: Queryable,
  vault: Vault,
  limit: number,
  convert: (ownerId: Uuid, bankAccount: Buffer) => Buffer,
): Promise<number> {
  const old = await tx.query<Payout>(
    `select ${COLUMNS} from payouts p where p.mac is null limit $1 for update`,
    [limit],
  )
  const payouts = old.map(payout => ({
    ...payout,
    bankAccount: convert(payout.ownerId, payout.bankAccount),
  }))
  await tx.query(
    `update payouts p set bank_account = decode(v.account, 'hex') from unnest($1::uuid[], $2::text[]) v(id, account)
     where p.id = v.id`,
    [
      arrayLiteral(payouts.map(({ id }) => id)),
      textArrayLiteral(payouts.map(({ bankAccount }) => bankAccount.toString('hex'))),
    ],
  )
  return writeOldMacs(
    tx,
    'payouts',
    payouts.map(payout => ({ id: payout.id, mac: payoutMac(vault, payout) })),
  )
}
