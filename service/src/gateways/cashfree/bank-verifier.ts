import type { BankAccountClaim, BankCheckResult, BankVerifier } from '../bank-verifier.ts'
import type { ExactJson } from '../exact-json.ts'
import type { GatewayResult } from '../gateway-result.ts'
import { readBankCheckResult, resultOfCode } from './bank-check-result.ts'
import { type CallCashfree, type CashfreeAccess, openCashfree } from './http.ts'

/** The check waits for the bank's response, which may be slow. */
const TIMEOUT_MS = 20_000

/** Cashfree's verification of bank accounts. A request may be repeated, because it moves none of our money. */
export function createCashfreeVerifier(options: CashfreeAccess): BankVerifier {
  const ask = openCashfree({ timeoutMs: TIMEOUT_MS, ...options })
  return {
    name: 'cashfree',
    verifyAccount: claim => verify(ask, claim),
    async checkAgain(reference, claim) {
      const path = `/bank-account?reference_id=${encodeURIComponent(reference)}`
      const response = await ask({ method: 'GET', path })
      // A verification that Cashfree no longer has must be started again.
      if (response.kind === 'rejected' && response.code.endsWith('_not_found')) return verify(ask, claim)
      return checkResultOf(response)
    },
  }
}

async function verify(
  ask: CallCashfree,
  { bankAccount, ifsc, name, phone }: BankAccountClaim,
): Promise<BankCheckResult> {
  return checkResultOf(
    await ask({
      method: 'POST',
      path: '/bank-account/sync',
      body: { bank_account: bankAccount, ifsc, name, phone },
    }),
  )
}

function checkResultOf(response: GatewayResult<ExactJson>): BankCheckResult {
  switch (response.kind) {
    case 'value':
      return readBankCheckResult(response.value)
    case 'rejected':
      return resultOfCode(response.code, null) ?? { kind: 'retryable', message: response.message }
    case 'retryable':
    case 'unknown':
      return response
  }
}
