import { isDeepStrictEqual } from 'node:util'
import type { Authorization as AuthorizationRecord } from '@batua/contract'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, read, SYSTEM } from '../../../ledger/index.ts'
import { insert } from '../../../operations/entity.ts'
import { type Actor, actorFor } from '../../../operations/facts.ts'
import { type AgentPolicyCache, keyOfApp } from '../../limits/index.ts'
import {
  type Approval,
  type AuthorizationTerms,
  authorizationTerms,
  type Executor,
  termsIn,
  termsOf,
} from '../approvals/approval.ts'
import { recordContext } from '../context.ts'
import { decidePayment, type Mandate } from '../decide.ts'
import { paymentFee } from '../fee.ts'
import type { KeyUse, RequestKey } from '../idempotency.ts'
import { type RequestTerms, type Spending, spendApproved, spendCommand } from '../spend.ts'
import type { Authorization, AuthorizationIntent } from './authorization.ts'
import { decideOpenCount } from './decide.ts'
import { recordCreated } from './facts.ts'
import { authorizations, openAuthorizations } from './store.ts'

/** What was authorized, with the version of the policy that decided it, or the approval that it waits for. */
export type Authorized =
  | { readonly authorization: Authorization; readonly policyVersion: string }
  | { readonly waiting: Approval }

/** Sets money aside, or requests the owner's approval. */
export function authorizeCommand(
  agents: AgentPolicyCache,
  intent: AuthorizationIntent,
  keyHash: Buffer,
): Command<Authorized> {
  const actor = actorFor(intent.payerId, intent.app)
  const mandate = { by: 'agent', keyHash, asksOwner: false } as const
  return spendCommand<Authorization, Authorized>(
    agents,
    authorizationSpending(agents, intent, mandate, actor),
    () => ({ request: requestOf(intent), actor }),
    {
      posted: (authorization, policyVersion) => ({ authorization, policyVersion }),
      waiting: approval => ({ waiting: approval }),
    },
  )
}

/** Makes the authorization that an owner approves. Its time runs from then on. */
export function executeAuthorization(
  agents: AgentPolicyCache,
  show: (authorization: Authorization, policyVersion: string) => Promise<AuthorizationRecord>,
): Executor {
  return (approval, approver) => {
    const { actor } = approver
    const spending = authorizationSpending(agents, intentOf(approval), { by: 'owner' }, actor)
    return spendApproved(agents, spending, { approval, approver }, (authorization, policyVersion) => ({
      made: {},
      signed: async () => ({ authorization: await show(authorization, policyVersion) }),
    }))
  }
}

/** An authorization as money that is spent: by the rules of a payment of the whole amount. */
function authorizationSpending(
  agents: AgentPolicyCache,
  intent: AuthorizationIntent,
  mandate: Mandate,
  actor: Actor,
): Spending<Authorization> {
  const { payerId, payeeId, amountPaise } = intent
  return {
    kind: 'authorization',
    app: keyOfApp(payerId, intent.app),
    ...{ payerId, payeeId, amountPaise },
    key: keyOfAuthorization(intent),
    agentIds: payeeId === null || payeeId === payerId ? [payerId] : [payerId, payeeId],
    limits: { escrowApplies: true },
    reads: [read(openAuthorizations, payerId)],
    decide(batch, { keyUsed, checkLimits }) {
      const plan = decidePayment({
        ...{ mandate, amountPaise, keyUsed, checkLimits },
        payer: agents.facts(batch, payerId),
        payerAccount: batch.account(payerId),
        payee: payeeId === null ? undefined : agents.facts(batch, payeeId),
        payeeAccount: payeeId === null ? undefined : batch.account(payeeId),
        sameReference: undefined,
      })
      if (plan.kind === 'refusal') return plan
      return decideOpenCount(batch.read(openAuthorizations, payerId) ?? 0) ?? plan
    },
    post: batch => postAuthorization(batch, agents, intent, actor),
  }
}

function postAuthorization(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  intent: AuthorizationIntent,
  actor: Actor,
): Authorization {
  const { payerId, payeeId, amountPaise, reference, idempotencyKey, voucherKey } = intent
  assert(payeeId !== null, 'a decided authorization has a payee')
  const feeReservedPaise = paymentFee(amountPaise)
  const setAside = batch.post({
    kind: 'authorization',
    debit: payerId,
    credit: SYSTEM.authorizations,
    amountPaise,
    feePaise: feeReservedPaise,
    linkedId: payeeId,
    idempotencyKey,
    reference,
  })
  const { id, postedAt, debitSequence } = setAside
  assert(debitSequence !== null, 'an authorization debits a wallet')
  const expiresAt = new Date(postedAt.getTime() + intent.expiresInSeconds * 1_000)
  const authorization: Authorization = {
    ...{ agentId: payerId, id, payeeId, amountPaise, feeReservedPaise, reference, voucherKey },
    createdAt: postedAt,
    expiresAt,
    holdSequence: debitSequence,
    status: 'open',
    capturedPaise: ZERO_PAISE,
    lastTransferId: null,
    capturesDay: 0,
    dayCaptures: 0,
    closingSince: null,
    closingBlockedMs: null,
    feePaise: ZERO_PAISE,
    closedAt: null,
    nextTryAt: expiresAt,
    appId: intent.app?.id ?? null,
  }
  insert(batch, authorizations, authorization)
  noteOpen(batch, payerId, 1)
  recordCreated(batch, agents, authorization, actor)
  recordContext(batch, setAside, intent)
  return authorization
}

/** Counts one more or one less open authorization, for the later commands of this batch. */
export function noteOpen(batch: LedgerBatch, payerId: Uuid, change: 1 | -1): void {
  const count = batch.read(openAuthorizations, payerId)
  if (count !== undefined) batch.set(openAuthorizations, payerId, count + change)
}

function keyOfAuthorization(intent: AuthorizationIntent): RequestKey | null {
  const { payerId, idempotencyKey: text } = intent
  if (text === null) return null
  return {
    text,
    field: 'idempotency_key',
    readsOf: ({ kind, id }) =>
      kind === 'authorization' ? [read(authorizations, { agentId: payerId, id })] : [],
    isSame: (batch, use) => isDeepStrictEqual(inputOf(batch, payerId, use), ownInput(intent)),
  }
}

/** What a request to authorize asks for. */
function ownInput({
  payeeId,
  amountPaise,
  reference,
  expiresInSeconds,
  voucherKey,
}: Pick<AuthorizationIntent, 'payeeId' | 'amountPaise' | 'reference' | 'expiresInSeconds' | 'voucherKey'>) {
  return { payeeId, amountPaise, reference, expiresInSeconds, voucherKey }
}

/** What the authorization that used a key was asked for, as it is stored; null: the key was used for something else. */
function inputOf(batch: LedgerBatch, payerId: Uuid, use: KeyUse): ReturnType<typeof ownInput> | null {
  if (use.kind === 'approval') {
    const { kind, payeeId, amountPaise, reference } = use.request
    const terms = authorizationTerms(use.request.terms)
    if (kind !== 'authorization' || terms === null) return null
    return ownInput({ payeeId, amountPaise, reference, ...ofTerms(terms) })
  }
  if (use.kind !== 'authorization') return null
  const made = batch.read(authorizations, { agentId: payerId, id: use.id })
  if (made === undefined) return null
  const openMs = made.expiresAt.getTime() - made.createdAt.getTime()
  return ownInput({ ...made, expiresInSeconds: openMs / 1_000 })
}

function ofTerms({ expires_in: expiresInSeconds, voucher_key: voucherKey }: AuthorizationTerms) {
  return { expiresInSeconds, voucherKey }
}

/** What the owner is asked to approve: no note, no unique reference. */
function requestOf(intent: AuthorizationIntent): RequestTerms {
  const { payerId, payeeId, amountPaise, reference, idempotencyKey, voucherKey, context, app } = intent
  const terms = { expires_in: intent.expiresInSeconds, voucher_key: voucherKey }
  return {
    ...{ agentId: payerId, payeeId, amountPaise, reference, idempotencyKey },
    terms: termsOf(terms, context, app),
    kind: 'authorization',
    feePaise: paymentFee(amountPaise),
    note: null,
    uniqueReference: false,
  }
}

/** The authorization that an approval was requested for. */
function intentOf(approval: Approval): AuthorizationIntent {
  const { agentId: payerId, payeeId, amountPaise, reference, idempotencyKey } = approval
  const terms = authorizationTerms(approval.terms)
  assert(terms !== null, 'an approval of an authorization holds its terms')
  return {
    ...{ payerId, payeeId, amountPaise, reference, idempotencyKey },
    ...ofTerms(terms),
    ...termsIn(approval),
  }
}
