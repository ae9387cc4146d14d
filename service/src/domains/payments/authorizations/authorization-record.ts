import type { AuthorizationResult, AuthorizationWaiting, Authorization as Shown } from '@batua/contract'
import { assert } from '../../../kernel/assert.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees, rupeesText } from '../../../kernel/money.ts'
import { signToken } from '../../../kernel/signing.ts'
import { NEVER_STOPPED } from '../../limits/index.ts'
import type { SigningKeys } from '../../signing/index.ts'
import { type Approval, authorizationTerms, policyVersionOf } from '../approvals/approval.ts'
import { type Authorization, remainingPaise } from './authorization.ts'
import type { Authorized } from './authorize.ts'
import { type PayerState, presentAt } from './present.ts'

/** What signs the tokens of authorizations. */
export interface TokenContext {
  readonly signingKeys: SigningKeys
  /** The issuer that every token names. */
  readonly serviceName: string
}

/** The state that a record shows besides the row. */
export interface ShownState {
  readonly payer: PayerState
  readonly now: Date
  readonly policyVersion: string | null
}

export async function authorizationRecord(
  context: TokenContext,
  authorization: Authorization,
  { payer, now, policyVersion }: ShownState,
): Promise<Shown> {
  const { status, closesMs } = presentAt(authorization, payer, now.getTime())
  return {
    authorization_id: formatId('ath', authorization.id),
    agent_id: formatId('agt', authorization.agentId),
    to_agent_id: formatId('agt', authorization.payeeId),
    amount: rupees(authorization.amountPaise),
    currency: 'INR',
    fee_reserved: rupees(authorization.feeReservedPaise),
    fee: rupees(authorization.feePaise),
    captured: rupees(authorization.capturedPaise),
    remaining: rupees(remainingPaise(authorization)),
    status,
    expires_at: authorization.expiresAt.toISOString(),
    closes_at: closesMs === null ? null : new Date(closesMs).toISOString(),
    closed_at: authorization.closedAt?.toISOString() ?? null,
    voucher_key: authorization.voucherKey,
    token: await authorizationToken(context, authorization),
    reference: authorization.reference,
    created_at: authorization.createdAt.toISOString(),
    transaction_id: formatId('txn', authorization.id),
    policy_version: policyVersion,
  }
}

/** A payer that could just authorize. */
const ACTIVE: PayerState = { status: 'active', stops: NEVER_STOPPED }

/** The response to a request to authorize. */
export async function resultOf(context: TokenContext, made: Authorized): Promise<AuthorizationResult> {
  if ('waiting' in made) return waitingRecord(made.waiting)
  const { authorization, policyVersion } = made
  return newRecord(context, authorization, policyVersion)
}

/** The record of an authorization that was made just now. */
export function newRecord(
  context: TokenContext,
  authorization: Authorization,
  policyVersion: string,
): Promise<Shown> {
  return authorizationRecord(context, authorization, {
    payer: ACTIVE,
    now: authorization.createdAt,
    policyVersion,
  })
}

function waitingRecord(approval: Approval): AuthorizationWaiting {
  const { payeeId } = approval
  assert(payeeId !== null, 'an authorization names its payee')
  return {
    authorization_id: null,
    agent_id: formatId('agt', approval.agentId),
    to_agent_id: formatId('agt', payeeId),
    amount: rupees(approval.amountPaise),
    currency: 'INR',
    fee_reserved: rupees(approval.feePaise),
    fee: 0,
    captured: 0,
    remaining: 0,
    status: 'pending_approval',
    expires_at: null,
    closes_at: null,
    closed_at: null,
    voucher_key: authorizationTerms(approval.terms)?.voucher_key ?? null,
    token: null,
    reference: approval.reference,
    created_at: approval.createdAt.toISOString(),
    transaction_id: null,
    policy_version: policyVersionOf(approval.terms),
    approval_id: formatId('apr', approval.id),
  }
}

/**
 * The terms for a seller who verifies them offline. They never change, so the token is the same each time. `exp` is the
 * second of `expires_at`.
 */
export async function authorizationToken(
  { signingKeys, serviceName }: TokenContext,
  { id, agentId, payeeId, amountPaise, voucherKey, createdAt, expiresAt }: Authorization,
): Promise<string> {
  const key = await signingKeys.at(createdAt)
  const content = {
    sub: formatId('agt', agentId),
    aud: formatId('agt', payeeId),
    amount: rupeesText(amountPaise),
    currency: 'INR',
    ...(voucherKey !== null && { cnf: { jwk: jwkOf(voucherKey) } }),
  }
  const terms = {
    typ: 'authorization+jwt',
    keyId: key.id,
    issuer: serviceName,
    issuedAt: createdAt,
    expiresAt,
    id: formatId('ath', id),
  }
  return signToken(content, terms, key.privateKey)
}

/** RFC 8037, section 2. */
function jwkOf(voucherKey: string) {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(voucherKey, 'base64').toString('base64url') }
}
