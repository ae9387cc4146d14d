/** Bank accounts of docs/sandbox.md that the simulated bank verifies in its own way. */
export const VERIFIED_ACCOUNTS = [
  '900000000001',
  '900000000002',
  '900000000003',
  '900000000004',
  '900000000005',
  '900000000011',
  '900000000012',
  '900000000013',
  '900000000014',
  '900000000015',
  '900000000016',
  '900000000017',
] as const

/** Bank accounts of docs/sandbox.md to which payouts go in their own way. All of them are verified at once. */
export const PAID_ACCOUNTS = [
  '900000000006',
  '900000000007',
  '900000000008',
  '7766671735000',
  '900000000021',
  '900000000022',
  '900000000023',
  '900000000024',
  '900000000025',
  '900000000026',
] as const

export type VerifiedAccount = (typeof VERIFIED_ACCOUNTS)[number]
export type PaidAccount = (typeof PAID_ACCOUNTS)[number]
