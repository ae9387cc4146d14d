/** Where Cashfree's interfaces are, and the script of its checkout. */
export interface CashfreeAddresses {
  readonly payments: string
  readonly payouts: string
  readonly verification: string
}

const HOSTS = { sandbox: 'https://sandbox.cashfree.com', production: 'https://api.cashfree.com' } as const

/** `apiUrl` replaces Cashfree's own host: a proxy, or a local server in tests. */
export function cashfreeAddresses(
  environment: 'sandbox' | 'production',
  apiUrl: string | null,
): CashfreeAddresses {
  const host = apiUrl ?? HOSTS[environment]
  return { payments: `${host}/pg`, payouts: `${host}/payout`, verification: `${host}/verification` }
}
