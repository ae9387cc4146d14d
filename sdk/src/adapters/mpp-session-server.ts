import { TOTAL_HEADER } from '../protocol/messages.ts'
import type { TabOptions } from '../seller/options.ts'
import { createTabSeller } from '../seller/tab-seller.ts'
import { SESSION_METHOD, type SessionMethod } from './mpp-schema.ts'
import {
  type ChargeServerOptions,
  contextOf,
  createServer,
  type MppServer,
  refusal,
  unavailable,
} from './mpp-server.ts'

export interface SessionServerOptions extends ChargeServerOptions {
  /** How vouchers are kept and captured, as for `requirePayment`. */
  readonly tab: TabOptions
}

export type SessionServer = SessionMethod & MppServer

const SERVED = 200

/**
 * The intent `session`, like `chargeServer`: each request is paid by a voucher of an authorization, which is verified
 * without the service, so a request may cost a few paise.
 *
 *     const session = sessionServer({ client, payTo: 'weather-pune', tab: { store: await fileTabStore(path) } })
 *     const mppx = Mppx.create({ methods: [session], secretKey })
 *     app.get('/weather', mppx.session({ amount: '0.10' }), handler)
 *
 * A request counts before its handler runs, because mppx does not report to a method how it ended. Throws a TypeError
 * or RangeError for invalid options.
 */
export function sessionServer(options: SessionServerOptions): SessionServer {
  const context = contextOf(options)
  const tabs = createTabSeller(options, context)
  return {
    ...SESSION_METHOD,
    ...createServer(context, options, async (payload, quote) => {
      const proof = SESSION_METHOD.schema.credential.payload.parse(payload)
      if (!(await tabs.offers(quote.amountPaise))) throw await unavailable(options)
      const outcome = await tabs.accept(proof, quote)
      if (outcome.kind === 'refused') throw await refusal(options, outcome.reason)
      if (outcome.kind === 'no_response') throw await unavailable(options)
      const total = outcome.head(SERVED)[TOTAL_HEADER] ?? '0.00'
      const unstored = (await outcome.stored?.()) ?? null
      await outcome.finish(unstored?.status ?? SERVED)
      if (unstored !== null) throw await unavailable(options)
      const timestamp = new Date(context.surroundings.now()).toISOString()
      const { paymentId: reference } = outcome.payment
      return { method: 'batua', reference, status: 'success', timestamp, total }
    }),
  }
}
