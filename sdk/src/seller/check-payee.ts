import { payeeName } from '../protocol/payee.ts'
import type { SellerContext } from './context.ts'

/**
 * Reports an error if payments go to another agent because `payTo` is not the client's own. Only the seller can
 * correct that, and `onError` is called each time, because each time a buyer has paid for nothing.
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
