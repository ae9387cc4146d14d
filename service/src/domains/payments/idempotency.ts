import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import {
  keyAt,
  type LedgerBatch,
  type Read,
  read,
  reader,
  type Transfer,
  type TransferKind,
} from '../../ledger/index.ts'
import { type ApprovalRequest, madeBy } from './approvals/approval.ts'

/** An idempotency key of a wallet, as the ledger stores it with the movement. */
export interface WalletKey {
  readonly payer: Uuid
  /** By `keyOf`. */
  readonly key: string
}

/**
 * The stored text of a caller's key. Each wallet has one namespace for its agent's keys, one for its platform's and one
 * for its owner's: a key is used once, whatever it moves. No key contains a line break, so they never meet.
 */
export function keyOf(caller: Caller, key: string | undefined): string | null {
  if (key === undefined) return null
  return caller.kind === 'agent' ? key : `${caller.kind}\n${key}`
}

/** A movement that a key was used for. */
export type KeyedMovement = Pick<
  Transfer,
  'kind' | 'id' | 'creditAccount' | 'amountPaise' | 'debitBalancePaise' | 'reference' | 'note' | 'linkedId'
>

/**
 * What a key was used for: a movement, or a request that waits for approval. What is stored of it is the input that the
 * key was used with, so no hash of it is stored.
 */
export type KeyUse =
  | KeyedMovement
  | {
      readonly kind: 'approval'
      readonly id: Uuid
      readonly expiresAt: Date
      readonly request: Pick<
        ApprovalRequest,
        'kind' | 'payeeId' | 'amountPaise' | 'reference' | 'note' | 'terms'
      >
    }

interface UseRow extends Omit<KeyedMovement, 'kind' | 'creditAccount'> {
  readonly position: number
  /** null: a request that waits. */
  readonly kind: Transfer['kind'] | null
  readonly requested: ApprovalRequest['kind']
  readonly payeeId: Uuid | null
  readonly terms: unknown
  readonly expiresAt: Date
}

// Lateral with a limit, so that no plan reads the approvals of other agents.
const USED_KEYS = `
  select k.position::int4 as position, t.id, t.kind, t.credit_account as "payeeId", t.amount_paise as "amountPaise",
    t.debit_balance_paise as "debitBalancePaise", t.reference, t.note, t.linked_id as "linkedId", null as requested,
    null::jsonb as terms, null::timestamptz as "expiresAt"
  from unnest($1::uuid[], $2::text[]) with ordinality k(payer, key, position)
  join transfers t on t.debit_account = k.payer and t.idempotency_key = k.key
  union all
  select k.position::int4, a.id, null, a.payee, a.amount_paise, null, a.reference, a.note, null, a.kind, a.terms,
    a.expires_at
  from unnest($1::uuid[], $2::text[]) with ordinality k(payer, key, position)
  cross join lateral (
    select a.id, a.payee, a.amount_paise, a.reference, a.note, a.kind, a.terms, a.expires_at from approvals a
    where a.agent_id = k.payer and a.idempotency_key = k.key and a.status = 'pending_approval'
      and a.expires_at > $3
    limit 1) a`

const NO_USED_KEYS = `select require_unchanged(not exists (${USED_KEYS}))`

/** Exact, because posting and requesting approval for a payer both lock its account. */
export const usedKeys = reader<WalletKey, KeyUse>({
  name: 'idempotency keys',
  key: ['payer', 'key'],
  async load(tx: Queryable, keys, nowMs) {
    const rows = await tx.query<UseRow>(USED_KEYS, [
      arrayLiteral(keys.map(({ payer }) => payer)),
      textArrayLiteral(keys.map(({ key }) => key)),
      new Date(nowMs).toISOString(),
    ])
    const used = new Map<WalletKey, KeyUse>()
    for (const row of rows) {
      const key = keyAt(keys, row.position)
      // A movement takes precedence over a request that waits.
      if (row.kind !== null || !used.has(key)) used.set(key, useOf(row))
    }
    return used
  },
  requireNone: (tx, keys, nowMs) =>
    tx.query(NO_USED_KEYS, [
      arrayLiteral(keys.map(({ payer }) => payer)),
      textArrayLiteral(keys.map(({ key }) => key)),
      new Date(nowMs).toISOString(),
    ]),
})

function useOf({ kind, id, payeeId, requested, terms, expiresAt, ...row }: UseRow): KeyUse {
  if (kind === null) {
    return { kind: 'approval', id, expiresAt, request: { ...row, kind: requested, payeeId, terms } }
  }
  assert(payeeId !== null, 'a transfer has a credit account')
  return { ...row, kind, id, creditAccount: payeeId }
}

/** The use that blocks a command at this moment: not one that has expired, nor the approval that it executes. */
export function activeUse<Used extends Use>(
  use: Used | undefined,
  nowMs: number,
  executedId: Uuid | null = null,
): Used | undefined {
  if (use?.kind !== 'approval') return use
  return use.expiresAt.getTime() <= nowMs || use.id === executedId ? undefined : use
}

/** The key of a request that moves money of a wallet, and how its earlier use is compared with the request. */
export interface RequestKey {
  /** By `keyOf`. */
  readonly text: string
  /** The text under which earlier releases stored it. */
  readonly formerText?: string | null
  /** How the caller sent it. */
  readonly field: 'idempotency_key' | 'Idempotency-Key'
  /** What else the comparison reads. */
  readsOf?(use: KeyUse): readonly Read[]
  /** Whether the key was used for this very request. */
  isSame(batch: LedgerBatch, use: KeyUse): boolean
}

/** The part of a command that lets its key be used once. */
export interface KeyCheck {
  readonly reads: readonly Read[]
  /** What else is read, at a later phase, where the key was used. */
  readsOfUse(batch: LedgerBatch): readonly Read[]
  /** The refusal if the key was used. */
  refusal(batch: LedgerBatch): Refusal | null
  /** Shows the later commands of the batch what the key was used for. */
  noteUse(batch: LedgerBatch, use: KeyUse): void
}

/** `executedId`: the approval that the command executes, whose reservation of the key does not block it. */
export function keyCheck(payer: Uuid, key: RequestKey | null, executedId: Uuid | null = null): KeyCheck {
  if (key === null) return NO_KEY
  const own: WalletKey = { payer, key: key.text }
  const { formerText = null } = key
  const keys = formerText === null ? [own] : [own, { payer, key: formerText }]
  const useIn = (batch: LedgerBatch) => {
    for (const each of keys) {
      const use = activeUse(batch.read(usedKeys, each), batch.nowMs, executedId)
      if (use !== undefined) return use
    }
    return undefined
  }
  return {
    reads: keys.map(each => read(usedKeys, each)),
    readsOfUse(batch) {
      const use = key.readsOf === undefined ? undefined : useIn(batch)
      return use === undefined ? [] : (key.readsOf?.(use) ?? [])
    },
    refusal(batch) {
      const use = useIn(batch)
      return use === undefined ? null : keyUsed(use, key.isSame(batch, use), key.field)
    },
    noteUse: (batch, use) => batch.set(usedKeys, own, use),
  }
}

const NO_KEY: KeyCheck = {
  reads: [],
  readsOfUse: () => [],
  refusal: () => null,
  noteUse: () => undefined,
}

/**
 * The refusal for a used key. It names what the key was used for, so that a client that lost the response recovers, and
 * says whether that was the same request.
 */
export function keyUsed(use: KeyUse, isSame: boolean, field: RequestKey['field']): Refusal {
  const [name, made] = usedFor(use)
  const waits = use.kind === 'approval'
  const earlier = isSame ? 'this request before' : 'another request'
  const outcome = waits ? 'the approval that it waits for' : 'what it made'
  const message = `This ${field} was used for ${earlier}: details.${name} names ${outcome}. Use a new key for a new request`
  return refuse('idempotency_error', message, { field, details: { ...made, same_request: isSame } })
}

/** The detail that names what was made, and all details. */
function usedFor(use: KeyUse): readonly [string, Record<string, string | number | null>] {
  switch (use.kind) {
    case 'approval': {
      const made = madeBy(use.request.kind, null)
      return ['approval_id', { ...made, approval_id: formatId('apr', use.id), status: 'pending_approval' }]
    }
    case 'payment':
      return ['payment_id', { payment_id: formatId('pay', use.id), status: 'completed' }]
    case 'refund':
      return ['refund_id', { refund_id: formatId('rfd', use.id), status: 'completed' }]
    case 'escrow_hold':
      return ['escrow_id', { escrow_id: formatId('esc', use.id) }]
    case 'authorization':
      return ['authorization_id', { authorization_id: formatId('ath', use.id) }]
    case 'allocation': {
      const to = { agent_id: formatId('agt', use.creditAccount), amount: rupees(use.amountPaise) }
      return ['transaction_id', { transaction_id: formatId('txn', use.id), ...to, status: 'completed' }]
    }
    default:
      return ['transaction_id', { transaction_id: formatId('txn', use.id) }]
  }
}

/** What a unique reference was used for: a payment, or a request that waits for approval. */
export type Use =
  | { readonly kind: TransferKind; readonly id: Uuid }
  | { readonly kind: 'approval'; readonly id: Uuid; readonly expiresAt: Date }

interface ReferenceRow {
  readonly position: number
  readonly kind: TransferKind | 'approval'
  readonly id: Uuid
  readonly expires_at: Date | null
}

/** A reference between a payer and a payee. */
export interface PayeeReference {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly reference: string
}

const USED_REFERENCES = `
  select k.position::int4 as position, u.id, u.kind, u.expires_at
  from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality k(payer, payee, reference, position)
  cross join lateral (
    (select t.id, t.kind, null::timestamptz as expires_at from transfers t
     where t.debit_account = k.payer and t.reference = k.reference and t.credit_account = k.payee
       and t.kind = 'payment'
     order by t.id limit 1)
    union all
    (select a.id, 'approval', a.expires_at from approvals a
     where a.agent_id = k.payer and a.reference = k.reference and a.payee = k.payee and a.kind = 'payment'
       and a.status = 'pending_approval' and a.expires_at > $4
     order by a.id limit 1)) u`

const NO_USED_REFERENCES = `select require_unchanged(not exists (${USED_REFERENCES}))`

/** The first payment from a payer to a payee with a reference, or the first that waits. */
export const usedReferences = reader<PayeeReference, Use>({
  name: 'references',
  key: ['payer', 'payee', 'reference'],
  async load(tx: Queryable, keys, nowMs) {
    const rows = await tx.query<ReferenceRow>(USED_REFERENCES, [
      arrayLiteral(keys.map(({ payer }) => payer)),
      arrayLiteral(keys.map(({ payee }) => payee)),
      textArrayLiteral(keys.map(({ reference }) => reference)),
      new Date(nowMs).toISOString(),
    ])
    const used = new Map<PayeeReference, Use>()
    for (const { position, kind, id, expires_at: expiresAt } of rows) {
      const key = keyAt(keys, position)
      // A payment takes precedence over a request that waits.
      if (kind !== 'approval') used.set(key, { kind, id })
      else if (expiresAt !== null && !used.has(key)) used.set(key, { kind, id, expiresAt })
    }
    return used
  },
  requireNone: (tx, keys, nowMs) =>
    tx.query(NO_USED_REFERENCES, [
      arrayLiteral(keys.map(({ payer }) => payer)),
      arrayLiteral(keys.map(({ payee }) => payee)),
      textArrayLiteral(keys.map(({ reference }) => reference)),
      new Date(nowMs).toISOString(),
    ]),
})
