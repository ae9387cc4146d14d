import type { EnvReader } from './env-reader.ts'
import { anyText, listOf, matching, oneOf, url, type ValueKind } from './env-values.ts'

/** The configuration of an account at Cashfree. */
export interface CashfreeConfig {
  readonly kind: 'cashfree'
  readonly environment: 'sandbox' | 'production'
  /** A host that replaces Cashfree's own; null: Cashfree's. */
  readonly apiUrl: string | null
  readonly apiVersion: string
  readonly payoutApiVersion: string
  readonly clientId: string
  readonly clientSecret: string
  readonly payoutClientId: string
  readonly payoutClientSecret: string
  readonly verificationClientId: string
  readonly verificationClientSecret: string
  /** Earlier secrets, with which webhooks may still be signed. */
  readonly previousClientSecrets: readonly string[]
  readonly previousPayoutClientSecrets: readonly string[]
  readonly upiCollect: boolean
}

const version = matching(/^\d{4}-\d\d-\d\d$/, 'a version of the interface, such as 2025-01-01')
const secrets = listOf(secret => secret !== '', 'secrets')

export function readCashfree(reader: EnvReader, live: boolean): CashfreeConfig {
  const environment = live ? 'production' : 'sandbox'
  const payoutClientId = reader.need('CASHFREE_PAYOUT_CLIENT_ID', anyText, '')
  const payoutClientSecret = reader.need('CASHFREE_PAYOUT_CLIENT_SECRET', anyText, '')
  return {
    kind: 'cashfree',
    environment: reader.need<'sandbox' | 'production'>('CASHFREE_ENV', oneOf([environment]), environment),
    apiUrl: reader.read('CASHFREE_API_URL', standIn(live), null),
    apiVersion: reader.read('CASHFREE_API_VERSION', version, '2025-01-01'),
    payoutApiVersion: reader.read('CASHFREE_PAYOUT_API_VERSION', version, '2024-01-01'),
    clientId: reader.need('CASHFREE_CLIENT_ID', anyText, ''),
    clientSecret: reader.need('CASHFREE_CLIENT_SECRET', anyText, ''),
    payoutClientId,
    payoutClientSecret,
    ...readVerification(reader, payoutClientId, payoutClientSecret),
    previousClientSecrets: reader.read('CASHFREE_PREVIOUS_SECRETS', secrets, []),
    previousPayoutClientSecrets: reader.read('CASHFREE_PAYOUT_PREVIOUS_SECRETS', secrets, []),
    upiCollect: reader.read('CASHFREE_UPI_COLLECT', oneOf(['on', 'off']), 'off') === 'on',
  }
}

const HOST_OF_OTHER = { live: 'sandbox.cashfree.com', sandbox: 'api.cashfree.com' } as const

/** A host in place of Cashfree's own, but never Cashfree's own host of the other environment. */
function standIn(live: boolean): ValueKind<string | null> {
  const address = live ? url('https:') : url('http:', 'https:')
  const other = HOST_OF_OTHER[live ? 'live' : 'sandbox']
  return {
    expected: `${address.expected}, and not ${other}`,
    parse: text => {
      const parsed = address.parse(text)
      if (parsed === undefined || parsed === null) return parsed
      return new URL(parsed).hostname.replace(/\.$/, '') === other ? undefined : parsed
    },
  }
}

/** Separate credentials come as a pair. With half a pair the credentials of payouts would be used unnoticed. */
function readVerification(reader: EnvReader, payoutClientId: string, payoutClientSecret: string) {
  const id = reader.read<string | null>('CASHFREE_VERIFICATION_CLIENT_ID', anyText, null)
  const secret = reader.read<string | null>('CASHFREE_VERIFICATION_CLIENT_SECRET', anyText, null)
  if (id !== null && secret === null) {
    reader.problem('CASHFREE_VERIFICATION_CLIENT_SECRET', 'is missing; its id is set')
  }
  if (id === null && secret !== null) {
    reader.problem('CASHFREE_VERIFICATION_CLIENT_ID', 'is missing; its secret is set')
  }
  return {
    verificationClientId: id ?? payoutClientId,
    verificationClientSecret: secret ?? payoutClientSecret,
  }
}
