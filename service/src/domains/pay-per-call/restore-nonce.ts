import type { BodyOf, ResponseOf, restoreNonce as restoreRoute } from '@batua/contract'
import type { AgentCaller } from '../../http/caller.ts'
import { recordFacts } from '../../operations/facts.ts'
import { nonceFact } from './facts.ts'
import { undoUse } from './nonce-store.ts'
import { findVerifiable } from './verifiable-payment.ts'
import type { VerificationContext } from './verify-payment.ts'

/** Undoes one use of a nonce for the calling seller, which could not serve what was paid for. */
export async function restoreNonce(
  context: VerificationContext,
  caller: AgentCaller,
  address: string,
  { nonce, consume_id: consumeId }: BodyOf<typeof restoreRoute>,
  now: Date,
): Promise<ResponseOf<typeof restoreRoute>> {
  const payment = await findVerifiable(context, address)
  if (payment === null) return { nonce, restored: false }

  const { database, vault } = context
  const usedNonce = nonce.normalize('NFC')
  const restored = await database.inTransaction(async tx => {
    const use = { paymentId: payment.id, consumeId }
    if (!(await undoUse(tx, caller.agentId, usedNonce, use))) return false
    await recordFacts(tx, vault, now, [nonceFact('nonce.restored', caller, payment, usedNonce, use)])
    return true
  })
  return { nonce, restored }
}
