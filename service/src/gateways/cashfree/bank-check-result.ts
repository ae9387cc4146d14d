import { type BankCheckResult, LEAST_NAME_MATCH } from '../bank-verifier.ts'
import { type ExactJson, textAt } from '../exact-json.ts'
import { reasonWord } from '../gateway-result.ts'

/** The result in Cashfree's response about an account. Its code is more specific than its status. */
export function readBankCheckResult(json: ExactJson): BankCheckResult {
  const nameAtBank = textAt(json, 'name_at_bank')
  const byCode = resultOfCode(textAt(json, 'account_status_code'), nameAtBank)
  if (byCode !== null) return byCode
  const reference = textAt(json, 'reference_id')
  switch (textAt(json, 'account_status')) {
    case 'VALID':
      return nameResult(nameAtBank, nameMatchScore(json))
    case 'INVALID':
      return failed('account_invalid', nameAtBank)
    case 'RECEIVED':
    case 'PENDING':
    case 'APPROVAL_PENDING':
      return reference === null ? noResult('RECEIVED') : { kind: 'pending', reference }
    // FAILED and REJECTED: the bank or our account at Cashfree failed, which says nothing about the claim.
    default:
      return noResult(textAt(json, 'account_status_code'))
  }
}

const BLOCKED: readonly string[] = ['BLOCKED', 'FROZEN', 'CLOSED', 'DORMANT']
/** Accounts that payouts cannot reach or that are not a person's own. */
const WRONG_TYPE: readonly string[] = ['NRE', 'FCNR', 'LOAN', 'PPI']

/**
 * The reason in a code, or null when the code names no fault of the account. It compares single words, because the
 * versions of the API have different endings (`NRE_ACCOUNT`, `NRE_ACCOUNT_FAIL`).
 */
export function resultOfCode(code: string | null, nameAtBank: string | null): BankCheckResult | null {
  const words = (code ?? '').toUpperCase().split('_')
  if (words.some(word => BLOCKED.includes(word))) return failed('account_blocked', nameAtBank)
  if (words.some(word => WRONG_TYPE.includes(word))) return failed('account_type', nameAtBank)
  const isInvalid = words.includes('INVALID') && (words.includes('ACCOUNT') || words.includes('IFSC'))
  return isInvalid ? failed('account_invalid', nameAtBank) : null
}

const SCORE_OF: Readonly<Record<string, number>> = {
  DIRECT_MATCH: 100,
  GOOD_PARTIAL_MATCH: 85,
  MODERATE_PARTIAL_MATCH: 70,
  POOR_PARTIAL_MATCH: 38,
  NO_MATCH: 0,
}

/** The score if there is one, otherwise the lowest of its band. */
function nameMatchScore(json: ExactJson): number | null {
  const text = textAt(json, 'name_match_score')
  const score = text !== null && /^\d{1,3}(?:\.\d{1,4})?$/.test(text) ? Number(text) : null
  if (score !== null && score <= 100) return score
  return SCORE_OF[textAt(json, 'name_match_result') ?? ''] ?? null
}

/** An account without a name does not prove its holder. */
function nameResult(nameAtBank: string | null, score: number | null): BankCheckResult {
  if (nameAtBank !== null && score !== null && score >= LEAST_NAME_MATCH) {
    return { kind: 'verified', nameAtBank, nameMatchScore: score, reason: null }
  }
  return { kind: 'failed', nameAtBank, nameMatchScore: score, reason: 'name_mismatch' }
}

function failed(
  reason: 'account_invalid' | 'account_blocked' | 'account_type',
  nameAtBank: string | null,
): BankCheckResult {
  return { kind: 'failed', nameAtBank, nameMatchScore: null, reason }
}

function noResult(code: string | null): BankCheckResult {
  return { kind: 'retryable', message: `Cashfree has no result yet: ${reasonWord(code) ?? 'no code'}` }
}
