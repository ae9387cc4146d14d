import { AuditVerification } from '@batua/contract'
import { checkApproval, checkEvidence } from './check-evidence.ts'
import { checkAuditEntry, checkCheckpoint, checkConsistency } from './check-log.ts'
import { checkSigned, checkToken, type SignedContext, type SignedCopy } from './check-signed.ts'
import { isObject, type JsonObject, readJson } from './read-json.ts'
import {
  CERTIFICATE,
  IDENTITY,
  MEMBERSHIP_PROOF,
  misfit,
  ORIGINS,
  RECEIPT,
  type SignedContent,
  type SignedKind,
} from './signed-kinds.ts'
import { looksLikeToken } from './token.ts'
import {
  type Doubt,
  forged,
  isDoubt,
  outdated,
  shown,
  unclear,
  type VerificationResult,
} from './verification-result.ts'

/** The options of a check. */
export interface CheckContext extends SignedContext {
  /** For a consistency proof: its two checkpoints, as signed notes. */
  readonly checkpoints: { readonly from: string; readonly to: string } | null
}

const KNOWN =
  'a receipt, a certificate, a membership proof, an identity verification, an origins document, an approval or its evidence, an audit entry with its proof, a checkpoint, a consistency proof, or a token of one of them'

/** Checks the content of a file and returns the result. It trusts only the keys. */
export function checkFile(text: string, context: CheckContext): VerificationResult {
  const trimmed = text.trim()
  if (looksLikeToken(trimmed)) return idle(context) ?? checkToken(trimmed, context)
  if (text.includes('\n\n— '))
    return idle(context) ?? idleProof(context) ?? checkCheckpoint(noteIn(text), context.keys)
  const json = readJson(text)
  if (isDoubt(json)) return json
  const value = unwrapped(json.value)
  return isDoubt(value) ? value : checkObject(value, context)
}

function checkObject(value: JsonObject, context: CheckContext): VerificationResult {
  const { keys, checkpoints } = context
  if ('from' in value && 'to' in value && Array.isArray(value['proof']))
    return (
      othersBeside(value, ['from', 'to', 'proof']) ??
      idleProof(context) ??
      checkConsistency(value, checkpoints, keys)
    )
  const unused = idle(context)
  if (unused !== null) return unused
  if ('entry' in value || 'inclusion_proof' in value)
    return othersBeside(value, AUDIT_RESPONSE) ?? idleProof(context) ?? checkAuditEntry(value, keys)
  if (typeof value['checkpoint'] === 'string')
    return (
      othersBeside(value, ['checkpoint']) ?? idleProof(context) ?? checkCheckpoint(value['checkpoint'], keys)
    )
  if ('evidence' in value) return checkApproval(value, context.proof, keys)
  if ('client_data_json' in value) return checkEvidence(value, context.proof, keys)
  const copy = signedCopy(value)
  return isDoubt(copy) ? copy : checkSigned(copy, context)
}

/** Two checkpoints were given, but only a consistency proof shows that the log only grew between them. */
function idle({ checkpoints }: CheckContext): Doubt | null {
  if (checkpoints === null) return null
  return unclear(
    '--from and --to belong to a consistency proof, and this is none; save the response of /v1/audit/consistency',
  )
}

/** Audit entries and checkpoints need no further proof. */
function idleProof({ proof }: CheckContext): Doubt | null {
  return proof === null
    ? null
    : unclear('--proof belongs to a receipt, a certificate or an approval, and this is none of them')
}

/** A checkpoint as a signed note, from a file with the note, a response with it, or the proof of an entry. */
export function checkpointIn(text: string): string | Doubt {
  if (!text.trimStart().startsWith('{')) return noteIn(text)
  const json = readJson(text)
  if (isDoubt(json)) return json
  const checkpoint = isObject(json.value) ? json.value['checkpoint'] : undefined
  return typeof checkpoint === 'string' ? checkpoint : unclear('it holds no checkpoint')
}

/** A note ends with one line break, which may have been lost or doubled when it was saved. */
function noteIn(text: string): string {
  return `${text.trimEnd()}\n`
}

/** Unwraps responses that have the signed object one level down. A list is accepted only with one entry. */
function unwrapped(value: unknown): JsonObject | Doubt {
  if (Array.isArray(value)) return onlyOne(value)
  if (!isObject(value)) return unclear(`it is none of ${KNOWN}`)
  const { certificate, certificates } = value
  if (Array.isArray(certificates))
    return othersBeside(value, ['certificates', 'pagination']) ?? onlyOne(certificates)
  if (isObject(certificate))
    return othersBeside(value, ['certificate', 'revoked_certificate_id']) ?? certificate
  if ('receipt' in value) return othersBeside(value, ['receipt', 'valid', 'reason']) ?? receiptIn(value)
  return value
}

function receiptIn({ receipt, valid = true, reason }: JsonObject): JsonObject | Doubt {
  if (receipt !== null && valid !== true)
    return forged(`the service itself says that it is not (${shown(String(reason))})`)
  return isObject(receipt) ? receipt : unclear('there is no receipt in it; check the id in the request')
}

const AUDIT_RESPONSE = Object.keys(AuditVerification.properties)

/** Refuses fields next to a signed object: they would seem to be signed, but are not. */
function othersBeside(value: JsonObject, names: readonly string[]): Doubt | null {
  const others = Object.keys(value).filter(name => !names.includes(name))
  if (others.length === 0) return null
  return unclear(
    `beside what is signed it holds ${shown(others.join(', '))}; save the response of the service as it came`,
  )
}

function onlyOne(list: readonly unknown[]): JsonObject | Doubt {
  const [only] = list
  if (list.length === 1 && isObject(only)) return only
  return unclear(`it is a list of ${list.length}; save the one to check in a file of its own`)
}

function signedCopy(value: JsonObject): SignedCopy | Doubt {
  const kind = kindOf(value)
  if (kind === null) return unclear(unknownFile(value))
  const { signature, token = null, ...rest } = value
  if (typeof signature !== 'string')
    return unclear(
      `this ${kind.name} has no signature; save ${kind === RECEIPT ? RECEIPT_RESPONSE : 'it as the service gave it'}`,
    )
  if (typeof token !== 'string' && token !== null) return forged('its token is no text')
  const others = kind === MEMBERSHIP_PROOF ? othersBeside(rest, ['proof']) : null
  if (others !== null) return others
  const [content, unsigned] = parted(kind, rest)
  if (kind === CERTIFICATE && rest['status'] === 'revoked')
    return outdated(`this copy itself says that it was revoked at ${shown(String(rest['revoked_at']))}`)
  const fault = misfit(kind, content)
  if (fault !== null) return forged(`it is no whole ${kind.name}: ${shown(fault)}`)
  return { kind, content: content as SignedContent, signature, token, unsigned }
}

/** The response to a payment also contains its receipt id. */
const RECEIPT_RESPONSE = 'the response of /v1/receipts/{receipt_id}'

function unknownFile(value: JsonObject): string {
  if (isObject(value['error']))
    return 'it is an error response of the service; check the call that returned it'
  if ('audit_id' in value || 'entries' in value)
    return 'an audit entry alone proves nothing; save the response of /v1/audit/verify?audit_id=… instead'
  return `it is none of ${KNOWN}`
}

/**
 * Finds the kind by a field that no other kind has. A wrong guess fails, because a signed object has all its fields.
 */
function kindOf(value: JsonObject): SignedKind | null {
  if (isObject(value['proof'])) return MEMBERSHIP_PROOF
  if ('receipt_id' in value) return RECEIPT
  if ('verified_at' in value) return IDENTITY
  if ('origins' in value) return ORIGINS
  return 'subject' in value ? CERTIFICATE : null
}

/** The signed fields, and the names of the other fields. */
function parted(kind: SignedKind, rest: JsonObject): readonly [content: unknown, unsigned: string[]] {
  if (kind === MEMBERSHIP_PROOF) return [rest['proof'], []]
  const { signedNames } = kind
  if (signedNames === null) return [rest, []]
  const isSigned = ([name]: readonly [string, unknown]) => signedNames.includes(name)
  const unsigned = Object.keys(rest).filter(name => !signedNames.includes(name))
  return [Object.fromEntries(Object.entries(rest).filter(isSigned)), unsigned]
}
