import type { BankVerifier } from '../bank-verifier.ts'

/** A bank that knows every account under exactly the name it is asked for. */
export function createSandboxBankVerifier(): BankVerifier {
  return {
    name: 'sandbox',
    async verifyAccount({ name }) {
      return { kind: 'verified', nameAtBank: name.toUpperCase(), nameMatchScore: 100, reason: null }
    },
  }
}
