const FIELD_PRIME = 2n ** 255n - 19n

/** The y of the eight points whose order divides 8; of x only the sign is encoded, which does not matter here. */
const SMALL_ORDER_YS: readonly bigint[] = [
  0n,
  1n,
  FIELD_PRIME - 1n,
  BigInt('0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826'),
  BigInt('0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7'),
]

const SIGN_BIT = 1n << 255n

/**
 * Whether 32 bytes are a public key for which many verifiers accept signatures made without the private key: a point of
 * small order, or a y not below the prime, which RFC 8032 (section 5.1.3) refuses and some verifiers read as such a point.
 */
export function isWeakKey(raw: Buffer): boolean {
  const littleEndian = BigInt(`0x${Buffer.from(raw.toReversed()).toString('hex')}`)
  const y = littleEndian & (SIGN_BIT - 1n)
  return y >= FIELD_PRIME || SMALL_ORDER_YS.includes(y)
}
