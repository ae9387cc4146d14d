/** A store of used nonces, instead of the service. */
export interface NonceStore {
  /**
   * Marks a nonce as used; false if it was used before. Of any number of concurrent claims exactly one gets true. The
   * same `claimId` gets true again, so that a claim whose response was lost can be repeated. After `expiresAt` the
   * nonce may be forgotten.
   */
  claim(nonce: string, expiresAt: Date, claimId: string): Promise<boolean>
  /** Makes a nonce valid again if this `claimId` marked it; otherwise does nothing. */
  release(nonce: string, claimId: string): Promise<void>
}
