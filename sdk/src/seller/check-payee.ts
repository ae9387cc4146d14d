import { payeeName } from '../protocol/payee.ts'
import type { SellerContext } from './context.ts'

/**
 * Whether a payment went to another agent because every payment does: `payTo` is not the client's own. Only the seller can
 * mend that, and it is told each time, because each time somebody has paid for nothing.
 */
export async function checkPayee({ agent, payTo, onError }: SellerContext): Promise<void> {
  try {
    const { agent_id: id, handle } = await agent(undefined)
    if ([id, handle].includes(payeeName(payTo))) return
    onError(
      new Error(`payTo is ${payTo}, but the client’s agent is ${handle}, which cannot take its payments`),
    )
  } catch (error) {
    onError(error)
  }
}
