import { ed25519, type SigningKey } from '../protocol/ed25519.ts'
import { hashes } from '../protocol/hashes.ts'
import type { Buyer } from './buyer.ts'

/** What a buyer's keys of vouchers are made of. */
export function voucherSecretOf({ agentKey, terms }: Pick<Buyer, 'agentKey' | 'terms'>): string {
  return terms.payment.voucherSecret ?? agentKey
}

/**
 * The key of the vouchers of one purchase. It is made of a secret and the purchase's nonce, so it is the same in every
 * process that has the secret, and nothing has to store it.
 */
export async function voucherKeyOf(secret: string, nonce: string): Promise<SigningKey> {
  const text = JSON.stringify([secret, 'voucher key', nonce])
  return ed25519.keyOf(await hashes.sha256(new TextEncoder().encode(text)))
}
