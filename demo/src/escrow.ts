import { routes } from '@batua/contract'
import type { Agents } from './cast.ts'
import { inr } from './money.ts'
import { type Headers, insist, type Stage } from './stage.ts'

const AMOUNT_INR = 60

/** Money in escrow: held for the translator, released when the researcher accepts the work. */
export async function holdAndRelease(
  { client, paper }: Stage,
  platform: Headers,
  { payer, payee }: Agents,
): Promise<void> {
  paper.chapter('Money is held in escrow until the work is done')
  const held = await client.ok(routes.holdEscrowWithTimeout, {
    params: { agent_id: payer.id },
    headers: platform,
    body: {
      amount: AMOUNT_INR,
      to_agent_id: payee.handle,
      timeout_hours: 24,
      auto_action: 'refund',
      reference: 'order-77',
    },
  })
  insist(held.status === 'held' && held.escrow_id !== null, 'a hold sets the money aside at once')
  paper.facts([
    ['escrow', held.escrow_id],
    ['amount', `${inr(held.amount)} INR`, 'debited from the wallet, without a fee'],
    ['until', held.expires_at ?? '', 'then it is refunded automatically'],
  ])
  const call = {
    params: { escrow_id: held.escrow_id },
    headers: platform,
    body: { to_agent_id: payee.id },
  }
  const released = await client.ok(routes.releaseEscrow, call)
  insist(released.status === 'released', 'a release gives the money to the recipient')
  const { error } = await client.refused(routes.releaseEscrow, call)
  paper.proof(`Released, once: a second time it says “${error.message}”.`)
}
