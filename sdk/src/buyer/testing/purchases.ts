import type { Purchase } from '../journal.ts'

/** A new purchase, of 1 INR from `a.example` by default. */
export function newPurchase(id: string, extras: Partial<Purchase> = {}): Purchase {
  return {
    id,
    requestKey: `key of ${id}`,
    host: 'a.example',
    payTo: 'translator',
    amountPaise: 100n,
    nonce: `nonce of ${id}`,
    startedAt: 1_800_000_000_000,
    state: 'paying',
    paymentId: null,
    ...extras,
  }
}
