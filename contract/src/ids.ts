import { type TString, Type } from 'typebox'

/** Every id prefix and what it names (interface section 2, contract section 1). */
export const ID_PREFIXES = {
  plt: 'platform',
  own: 'owner',
  agt: 'agent',
  wlt: 'wallet',
  pay: 'payment',
  txn: 'transaction',
  rcp: 'receipt',
  rfd: 'refund',
  fund: 'funding',
  ps: 'payment session',
  esc: 'escrow',
  cert: 'certificate',
  org: 'organization',
  apr: 'approval',
  aud: 'audit entry',
  evt: 'event',
  whd: 'webhook delivery',
  alr: 'risk alert',
  ssn: 'session',
  alw: 'allowance',
  ath: 'authorization',
  app: 'connected app',
  pky: 'passkey',
  psub: 'push subscription',
  lst: 'listing',
} as const

export type IdPrefix = keyof typeof ID_PREFIXES

/** The TypeID form of a UUID: 26 characters of Crockford base32; the first holds three bits only. */
export const TYPEID_SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}'

/** A well-formed id for examples, the same for the same number. */
export function exampleId(prefix: IdPrefix, number = 1): string {
  return `${prefix}_01kb7q3f8meg5tz4x9wc2n6a${String(number).padStart(2, '0')}`
}

/** An id of this kind where its form is guaranteed: responses, bodies and filters. */
export function idSchema(prefix: IdPrefix, description = `The ${ID_PREFIXES[prefix]}’s id.`): TString {
  return Type.String({
    pattern: `^${prefix}_${TYPEID_SUFFIX}$`,
    description,
    examples: [exampleId(prefix)],
  })
}

/**
 * An id in an address. Any text that fits there, because an address that names nothing is `not_found`, whatever its form; the service
 * reads the id and responds 404 when it is not one.
 */
export function idParam(prefix: IdPrefix, description = `The ${ID_PREFIXES[prefix]}’s id.`): TString {
  return Type.String({ maxLength: 256, description, examples: [exampleId(prefix)] })
}

/** The vendor of an agent for settlement. It contains a PAN: it is never logged and never on a public route. */
export const VendorId = Type.String({
  pattern: `^vendor_[A-Z]{5}[0-9]{4}[A-Z]_agt_${TYPEID_SUFFIX}$`,
  description:
    'The vendor id for settlement: `vendor_<PAN>_<agent_id>`. Confidential, because it contains the PAN.',
  examples: [`vendor_ABCDE1234F_${exampleId('agt')}`],
})

const SECRET_BODY = 'x'.repeat(43)

/** The platform's secret: `sk_live_` and base64url of 32 random bytes. */
export const PlatformSecret = Type.String({
  pattern: '^sk_live_[A-Za-z0-9_-]{43}$',
  description:
    'The platform secret for the header x-platform-secret. Returned only in this response; null in a replayed response.',
  examples: [`sk_live_${SECRET_BODY}`],
})

/** The agent's key: `agk_live_` and base64url of 32 random bytes. */
export const AgentKey = Type.String({
  pattern: '^agk_live_[A-Za-z0-9_-]{43}$',
  description:
    'The agent key for the header x-agent-key. Returned only in this response; null in a replayed response.',
  examples: [`agk_live_${SECRET_BODY}`],
})

/** The Standard Webhooks secret: `whsec_` and base64 of 32 random bytes. */
export const WebhookSecret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description:
    'The secret that signs webhooks (Standard Webhooks). Returned only in this response; null in a replayed response.',
  examples: [`whsec_${SECRET_BODY}=`],
})
