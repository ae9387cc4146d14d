import type { Database } from '../../../db/database.ts'
import {
  type BankAccountClaim,
  type BankCheckResult,
  type BankVerifier,
  LEAST_NAME_MATCH,
} from '../../../gateways/bank-verifier.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { behaviourOf } from './bank-accounts.ts'

export interface SandboxBankOptions {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
}

const PENDING_MS = 60_000
const OUTAGE_MS = 120_000

/** A bank that confirms every account under the claimed name, except the magic accounts. */
export function createSandboxBankVerifier(options: SandboxBankOptions): BankVerifier {
  const { clock } = options
  return {
    name: 'sandbox',
    async verifyAccount(claim) {
      const { verification } = behaviourOf(claim.bankAccount)
      switch (verification.kind) {
        case 'match':
          return nameMatch(claim.name, verification.score)
        case 'failed':
          return { kind: 'failed', nameAtBank: null, nameMatchScore: null, reason: verification.reason }
        case 'pending':
          return { kind: 'pending', reference: `sandbox_${clock.now().getTime()}` }
        case 'down':
          return (await isDown(options, claim))
            ? { kind: 'retryable', message: 'The bank gives no response' }
            : nameMatch(claim.name, 100)
      }
    },
    async checkAgain(reference, claim) {
      const { verification } = behaviourOf(claim.bankAccount)
      const begunMs = Number(reference.replace(/^sandbox_/, ''))
      if (clock.now().getTime() < begunMs + PENDING_MS) return { kind: 'pending', reference }
      return nameMatch(claim.name, verification.kind === 'pending' ? verification.score : 100)
    },
  }
}

function nameMatch(name: string, nameMatchScore: number): BankCheckResult {
  const nameAtBank = nameAtBankOf(name, nameMatchScore)
  return nameMatchScore >= LEAST_NAME_MATCH
    ? { kind: 'verified', nameAtBank, nameMatchScore, reason: null }
    : { kind: 'failed', nameAtBank, nameMatchScore, reason: 'name_mismatch' }
}

/** A name that differs from the claimed one as much as the score says. */
function nameAtBankOf(name: string, score: number): string {
  const words = name.toUpperCase().split(' ')
  if (score === 100) return words.join(' ')
  if (score >= LEAST_NAME_MATCH) return [...words, 'K'].join(' ')
  if (score >= 70) return ['K', words.at(-1)].join(' ')
  return score > 0 ? ['RAVI', words.at(-1)].join(' ') : 'ANOTHER NAME'
}

/**
 * An outage begins with the first claim that meets it, so that it can be simulated at any time, and ends once for that
 * claim.
 */
async function isDown(
  { database, clock, vault }: SandboxBankOptions,
  claim: BankAccountClaim,
): Promise<boolean> {
  const digest = vault.blindIndex(JSON.stringify([claim.bankAccount, claim.phone]), 'sandbox_outages')
  const now = clock.now()
  const [outage] = await database.query<{ endsAt: Date }>(
    `insert into sandbox_outages as o (claim_digest, ends_at) values ($1, $2)
     on conflict (claim_digest) do update set ends_at = o.ends_at returning ends_at as "endsAt"`,
    [digest, new Date(now.getTime() + OUTAGE_MS)],
  )
  if (outage === undefined || now < outage.endsAt) return true
  await database.query(`delete from sandbox_outages where claim_digest = $1`, [digest])
  return false
}
