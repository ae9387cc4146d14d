import { routes } from '@batua/contract'
import type { World } from './world.ts'

/** An amount that needs neither escrow nor approval. */
const UNASKED = 400

/** Sends all money of the world's agents, escrow and authorizations included, to the stranger's, so that their platform can be deleted. */
export async function emptyWallets(world: World): Promise<void> {
  const { api, network, platform, payer, payee, escrow, authorization, stranger } = world
  const params = { escrow_id: escrow.escrow_id ?? '' }
  await api.ok(routes.refundEscrow, { params, headers: platform.headers })
  await api.ok(routes.voidAuthorization, {
    params: { authorization_id: authorization.authorization_id ?? '' },
    headers: payee.headers,
  })
  for (const agent of [payer, payee]) {
    for (;;) {
      const { available } = await network.balance(agent)
      if (available === 0) break
      const rupees = available > 201 ? Math.floor((available / 1.005) * 100) / 100 : available - 1
      await network.pay(agent, stranger.agent, Math.min(rupees, UNASKED))
    }
  }
}
