import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import {
  type EngineRow,
  type EngineTable,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../../db/row-mac.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { loggedOutcomes } from '../audit/index.ts'
import { type Payout, type PayoutKey, type PayoutState, transactionIdOf } from './payout.ts'

export const COLUMNS = `
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

/** How the book says that it ended. */
export const ENDS = `(select array_agg(t.kind::text) from transfers t where t.linked_id = p.id
    and t.kind in ('payout_paid', 'payout_failed', 'payout_reversed')) as ends`

/** How the log says that it ended. `target`: its id as the log has it. */
export function logged(target: string): string {
  return loggedOutcomes(target, ['payout.completed', 'payout.failed', 'payout.reversed'])
}

/** Its MAC, and how book and log say that it ended. */
export const PROOF = `p.mac, ${ENDS}, ${logged('k.target')} as logged`

export const OF_KEYS = `unnest($1::uuid[], $2::uuid[], $3::text[]) k(agent_id, id, target)
  join payouts p on p.agent_id = k.agent_id and p.id = k.id`

export function keyValues(keys: readonly PayoutKey[]): string[] {
  return [
    arrayLiteral(keys.map(({ agentId }) => agentId)),
    arrayLiteral(keys.map(({ id }) => id)),
    textArrayLiteral(keys.map(transactionIdOf)),
  ]
}

export interface Proof {
  readonly mac: Buffer | null
  readonly ends: readonly string[] | null
  readonly logged: readonly string[] | null
}

/**
 * A payout that the service wrote, and that stands as book and log have it: one that ended is not sent or given back
 * again.
 */
export function proven(vault: Vault, { mac, ends, logged: entries, ...payout }: Payout & Proof): Payout {
  requireMac(vault, rowOf(payout, mac), isAsRecorded(payout, ends, entries))
  return payout
}

function rowOf(payout: Payout, mac: Buffer | null): EngineRow {
  return { table: 'payouts', id: payout.id, values: macValues(payout), mac }
}

/** The log may know nothing of one that ended before there was a log. */
function isAsRecorded({ status }: Payout, ends: Proof['ends'], entries: Proof['logged']): boolean {
  return status === statusAfter(ends ?? []) && (entries === null || status === statusAfter(entries))
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
    const keys = await db.query<PayoutKey>(
      `select agent_id as "agentId", id from payouts where id > $1 order by id limit $2`,
      [after, limit],
    )
    const rows = await db.query<Payout & Proof>(
      `select ${COLUMNS}, ${PROOF} from ${OF_KEYS} order by p.id`,
      keyValues(keys),
    )
    return rows.map(({ mac, ends, logged: entries, ...payout }) => ({
      id: payout.id,
      why: whyRefused(vault, rowOf(payout, mac), isAsRecorded(payout, ends, entries)),
    }))
  },
}

/** By the kinds of its transfers, or the actions of its entries. */
function statusAfter(ends: readonly string[]): PayoutState {
  const has = (...names: string[]) => names.some(name => ends.includes(name))
  if (has('payout_failed', 'payout.failed')) return 'failed'
  if (has('payout_reversed', 'payout.reversed')) return 'reversed'
  return has('payout_paid', 'payout.completed') ? 'completed' : 'pending'
}

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
