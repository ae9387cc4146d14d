import type { Client } from '../client/client.ts'
import { remembered } from '../client/timeouts.ts'
import { railOf } from '../protocol/x402.ts'

/** Whether money is paid at the buyer's own service, by the origin that a price names. */
export type IsOwnService = (origin: string) => Promise<boolean>

/**
 * The buyer's service is where its client calls it, or what the service calls itself, which is asked for once and only
 * if a price names another origin. With `service` it is that one.
 */
export function ownServiceOf({
  client,
  service,
}: {
  readonly client: Client
  readonly service?: string | undefined
}): IsOwnService {
  const { service: known } = railOf(client, { service })
  const supported = remembered(() => client.getX402Supported())
  return async origin => {
    if (origin === known) return true
    if (service !== undefined) return false
    try {
      const { kinds } = await supported(undefined)
      return kinds.some(({ extra }) => extra.service === origin)
    } catch {
      // A price that cannot be compared is not paid.
      return false
    }
  }
}
