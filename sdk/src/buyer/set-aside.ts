import { isReceiptToken } from '../protocol/headers.ts'
import type { Buyer } from './buyer.ts'
import { abortable, type PurchaseInProgress } from './ensure-payment.ts'
import { invalidResponse } from './invalid-response.ts'

/** Money that was set aside, as it is now. */
export interface SetAside {
  readonly token: string
  /** Whether all of it went back. */
  readonly isGivenBack: boolean
}

export async function readSetAside(
  { client }: Buyer,
  { signal }: Pick<PurchaseInProgress, 'signal'>,
  authorizationId: string,
): Promise<SetAside> {
  const { token, status } = await client.getAuthorization(
    { authorization_id: authorizationId },
    abortable(signal),
  )
  if (!isReceiptToken(token)) throw invalidResponse('token')
  return { token, isGivenBack: status === 'voided' || status === 'expired' }
}

/** Takes back what a seller refuses: it goes back ten minutes later, unless the seller captures it until then. */
export async function takeBack({ client }: Buyer, authorizationId: string): Promise<void> {
  await client.closeAuthorization({ authorization_id: authorizationId }).catch(() => undefined)
}
