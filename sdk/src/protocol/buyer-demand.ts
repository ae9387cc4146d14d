import type { KycStatus, Tier } from '../api/types.ts'
import type { BuyerDemand } from './messages.ts'

/** From the least to the greatest. */
const TIERS: readonly unknown[] = ['sandbox', 'tier1', 'tier2', 'tier3'] satisfies readonly Tier[]

/**
 * A demand on buyers from outside; null if it is none. One with an unknown field or value is none, so that nothing that
 * is demanded is overlooked.
 */
export function readDemand(value: unknown): BuyerDemand | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { tier, kyc, ...unknown } = value as Partial<Record<string, unknown>>
  if (tier !== undefined && !TIERS.includes(tier)) return null
  if (kyc !== undefined && kyc !== 'verified') return null
  if (Object.keys(unknown).length > 0) return null
  return {
    ...(tier === undefined ? {} : { tier: tier as Tier }),
    ...(kyc === undefined ? {} : { kyc }),
  }
}

/** Whether a demand excludes anybody. */
export function isSelective({ tier, kyc }: BuyerDemand): boolean {
  return tier !== undefined || kyc !== undefined
}

/** Whether a buyer is one of those that a demand names. */
export function fulfils(
  { tier, kyc }: BuyerDemand,
  buyer: { readonly tier: Tier; readonly kycStatus: KycStatus },
): boolean {
  if (tier !== undefined && TIERS.indexOf(buyer.tier) < TIERS.indexOf(tier)) return false
  return kyc === undefined || buyer.kycStatus === kyc
}

/** A demand in words: `agents of tier2 or above with verified KYC`. */
export function demandText({ tier, kyc }: BuyerDemand): string {
  const ofTier = tier === undefined ? '' : ` of ${tier} or above`
  return `agents${ofTier}${kyc === undefined ? '' : ` with ${kyc} KYC`}`
}
