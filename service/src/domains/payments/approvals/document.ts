import { hash } from 'node:crypto'
import type { approve, BodyOf } from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { canonicalJson } from '../../../kernel/signing.ts'
import type { Approval } from './approval.ts'
import { contextOf } from './approval.ts'

/** What the passkey of an owner signs who approves, with the allowance that she gives beside it (contract section 12). */
export function approvalDocument(
  { id, agentId, kind, payeeId, amountPaise, feePaise, reference, terms, expiresAt }: Approval,
  allow: BodyOf<typeof approve>['allow'] | null,
): object {
  const context = contextOf(terms)
  return {
    approval_id: formatId('apr', id),
    agent_id: formatId('agt', agentId),
    kind,
    to: payeeId === null ? null : formatId('agt', payeeId),
    amount: rupees(amountPaise),
    fee: rupees(feePaise),
    currency: 'INR',
    reference,
    context_sha256: context === null ? null : hash('sha256', canonicalJson(context), 'hex'),
    expires_at: expiresAt.toISOString(),
    allow: allow ?? null,
  }
}
