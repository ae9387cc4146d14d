import type { AuditVerification } from '@batua/contract'
import type { Static } from 'typebox'
import { checkAuditEntry } from './check-log.ts'
import type { PublishedKeys } from './published-keys.ts'
import { readJson } from './read-json.ts'
import { canonicalJson } from './signatures.ts'
import type { SignedContent, SignedKind } from './signed-kinds.ts'
import { type Doubt, isDoubt, unclear } from './verification-result.ts'

/**
 * Why a response of `/v1/audit/verify` does not prove that the log contains the signed object under a checkpoint of a key
 * that is not revoked; null when it does.
 */
export function proofFault(
  proof: string,
  kind: SignedKind,
  content: SignedContent,
  keys: PublishedKeys,
): Doubt | null {
  const due = kind.entry(content)
  if (due === null)
    return unclear(
      `the log has no entry for a ${kind.name}, so nothing proves it; ask the service for a new one`,
    )
  const entry = provenEntry(proof, keys)
  if (isDoubt(entry)) return entry
  const { action, target, agent_id, created_at, data } = entry
  if (canonicalJson(due) === canonicalJson({ action, target, agent_id, created_at, data })) return null
  return unclear(`the entry of --proof is not that of this ${kind.name}`)
}

/** The entry in a response of `/v1/audit/verify`, if a checkpoint of a key that is not revoked proves it. */
export function provenEntry(proof: string, keys: PublishedKeys): ProvenEntry | Doubt {
  const json = readJson(proof)
  if (isDoubt(json)) return about(json)
  const verdict = checkAuditEntry(json.value, keys)
  if (isDoubt(verdict)) return about(verdict)
  // Checked above to be an entry with its proof.
  return (json.value as { readonly entry: ProvenEntry }).entry
}

type ProvenEntry = NonNullable<Static<typeof AuditVerification>['entry']>

function about(doubt: Doubt): Doubt {
  return { ...doubt, because: `the proof of --proof: ${doubt.because}` }
}
