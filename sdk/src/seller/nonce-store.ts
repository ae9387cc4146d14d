/** Where used nonces are kept when the service does not. */
export interface NonceStore {
  /**
   * Marks a nonce used; false when it was before. Of any number at once exactly one gets true. The same `claimId` gets
   * its true again, so that a claim whose answer was lost can be repeated. After `expiresAt` it may be forgotten.
   */
  claim(nonce: string, expiresAt: Date, claimId: string): Promise<boolean>
  /** Makes a nonce good again that this `claimId` marked; does nothing when another did. */
  release(nonce: string, claimId: string): Promise<void>
}
