import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../http/caller.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import type { TransferKind } from '../../ledger/index.ts'
import { SEED } from '../../testing/knobs.ts'
import { type KeyUse, keyOf, keyUsed } from './idempotency.ts'

const NOW = new Date('2026-11-23T10:00:00.000Z')
const ID = newUuid(NOW)
const PAYEE = newUuid(NOW)

const made = (kind: TransferKind): KeyUse => ({
  ...{ kind, id: ID, creditAccount: PAYEE, amountPaise: paise(1_000n), debitBalancePaise: paise(0n) },
  ...{ reference: null, note: null, linkedId: null },
})
const waiting = (kind: 'payment' | 'escrow_hold'): KeyUse => ({
  ...{ kind: 'approval', id: ID, expiresAt: NOW },
  request: { kind, payeeId: PAYEE, amountPaise: paise(1_000n), reference: null, note: null, terms: null },
})

describe('the refusal for a used key', () => {
  const approval = { approval_id: formatId('apr', ID), status: 'pending_approval' }
  const transaction = { transaction_id: formatId('txn', ID) }
  test.each<[KeyUse, string, object]>([
    [made('payment'), 'payment_id', { payment_id: formatId('pay', ID), status: 'completed' }],
    [made('refund'), 'refund_id', { refund_id: formatId('rfd', ID), status: 'completed' }],
    [made('escrow_hold'), 'escrow_id', { escrow_id: formatId('esc', ID) }],
    [made('payout'), 'transaction_id', transaction],
    [
      made('allocation'),
      'transaction_id',
      { ...transaction, agent_id: formatId('agt', PAYEE), amount: 10, status: 'completed' },
    ],
    [waiting('payment'), 'approval_id', { payment_id: null, ...approval }],
    [waiting('escrow_hold'), 'approval_id', { escrow_id: null, ...approval }],
  ])('names what it was used for and whether that was the same request: %o', (use, name, details) => {
    for (const isSame of [true, false]) {
      expect(keyUsed(use, isSame, 'idempotency_key')).toEqual({
        kind: 'refusal',
        code: 'idempotency_error',
        message: expect.stringMatching(
          new RegExp(`${isSame ? 'this' : 'another'} request.*details\\.${name} `),
        ),
        field: 'idempotency_key',
        details: { ...details, same_request: isSame },
      })
    }
  })
})

test(`no two callers’ keys of a wallet are stored as the same text (seed ${SEED})`, () => {
  const header = fc.stringMatching(/^[\x20-\x7e]{1,40}$/)
  const callers: Caller[] = [
    { kind: 'agent', agentId: ID, platformId: ID, ownerId: ID, keyHash: Buffer.alloc(0) },
    { kind: 'platform', platformId: ID },
    { kind: 'owner', ownerIds: [ID], sessionId: ID },
  ]
  const call = fc.record({ caller: fc.constantFrom(...callers), key: header })
  const property = fc.property(call, call, (one, other) => {
    const isSame = one.caller === other.caller && one.key === other.key
    expect(keyOf(one.caller, one.key) === keyOf(other.caller, other.key)).toBe(isSame)
  })
  fc.assert(property, { numRuns: 2_000, seed: SEED })
})
