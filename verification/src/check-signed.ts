import { bytesOfBase64 } from './base64.ts'
import { CLOCKS_DIFFER_MS, datedOutside, needsProof } from './key-span.ts'
import { proofFault } from './log-proof.ts'
import { aboutKey, keyFor, type PublishedKey, type PublishedKeys } from './published-keys.ts'
import { verifyObject } from './signatures.ts'
import { RECEIPT, type SignedContent, type SignedKind } from './signed-kinds.ts'
import { openToken, saysTheSame } from './token.ts'
import {
  type Doubt,
  forged,
  isDoubt,
  outdated,
  shown,
  unclear,
  type VerificationResult,
} from './verification-result.ts'

/** A signed object in its JSON form. */
export interface SignedCopy {
  readonly kind: SignedKind
  readonly content: SignedContent
  readonly signature: string
  /** Its token, where the copy has one. */
  readonly token: string | null
  /** Unsigned fields, which may have been changed. */
  readonly unsigned: readonly string[]
}

const SIGNATURE_BYTES = 64

/** The options of the check of a signed object. */
export interface SignedContext {
  readonly keys: PublishedKeys
  /** The time at which it must be valid. */
  readonly at: Date
  /** A response of `/v1/audit/verify`, the proof that the log contains what a revoked key signed. */
  readonly proof: string | null
}

export function checkSigned(copy: SignedCopy, context: SignedContext): VerificationResult {
  const { kind, content, token, unsigned } = copy
  const { keys, at } = context
  const key = keyFor(content, keys)
  if (isDoubt(key)) return key
  const isSigned = bytesOfBase64(copy.signature)?.length === SIGNATURE_BYTES
  if (!isSigned || !verifyObject(content, copy.signature, key.key)) return withoutSignature(copy)
  const fault = token === null ? null : tokenFault(copy, token, keys)
  if (fault !== null) return fault
  return (
    notSignedThen(kind, content, key, context) ??
    inTime(kind, content, at) ?? {
      kind: 'genuine',
      says: sentence(kind, content, key),
      checked: [
        'the Ed25519 signature over the canonical JSON of what it says',
        ...(token === null ? [] : ['the token, signed too, says the same']),
        ...aboutSigning(key, context.proof),
      ],
      unknowable: [kind.unknowable, ...notInLog(kind, key), ...unsignedNames(unsigned)],
    }
  )
}

/** Checks a token without its JSON form. */
export function checkToken(token: string, context: SignedContext): VerificationResult {
  const { keys, at } = context
  const opened = openToken(token, keys)
  if (isDoubt(opened)) return opened
  const { kind, content, key } = opened
  return (
    notSignedThen(kind, content, key, context) ??
    inTime(kind, content, at) ?? {
      kind: 'genuine',
      says: sentence(kind, content, key),
      checked: ['the Ed25519 signature of the token', ...aboutSigning(key, context.proof)],
      unknowable: [kind.unknowable, ...notInLog(kind, key)],
    }
  )
}

/** A caller who is not a party to a payment gets its receipt without the texts, which are signed with the rest. */
function withoutSignature({ kind, content, token }: SignedCopy): Doubt {
  if (kind === RECEIPT && token === null && content['reference'] === null && content['note'] === null) {
    return unclear(
      'this copy leaves out what the two wrote to each other, and the signature covers it; ask one of them for theirs',
    )
  }
  return forged('the signature does not fit what it says')
}

function tokenFault({ kind, content }: SignedCopy, token: string, keys: PublishedKeys): Doubt | null {
  const opened = openToken(token, keys)
  if (isDoubt(opened)) return opened
  const isSame = opened.kind === kind && saysTheSame(opened.content, content)
  return isSame ? null : forged('its token says something else than its fields')
}

/** Why the key does not prove an object with this date; null when the key or the log proves it. */
function notSignedThen(
  kind: SignedKind,
  content: SignedContent,
  key: PublishedKey,
  { keys, proof }: SignedContext,
): Doubt | null {
  const outside = datedOutside(kind.name, kind.dated(content), key, keys)
  if (outside !== null) return outside
  return proof === null ? needsProof(kind.name, key) : proofFault(proof, kind, content, keys)
}

function aboutSigning(key: PublishedKey, proof: string | null): string[] {
  const proven = 'the audit log has it, under a checkpoint of a key that is not revoked'
  return [...aboutKey(key), ...(proof === null ? [] : [proven])]
}

function notInLog({ notInLog }: SignedKind, { revokedAt }: PublishedKey): string[] {
  return revokedAt === null || notInLog === null ? [] : [notInLog]
}

/** An object dated further in the future than clocks differ is not yet valid. */
function inTime(kind: SignedKind, content: SignedContent, at: Date): Doubt | null {
  const span = kind.span(content)
  if (span === null) return null
  const time = at.toISOString()
  if (Date.parse(span.until) <= at.getTime())
    return outdated(`this ${kind.name} expired at ${span.until}, and it is ${time}`)
  if (Date.parse(span.from) - CLOCKS_DIFFER_MS > at.getTime())
    return outdated(
      `this ${kind.name} is only good from ${span.from} on, and it is ${time}; if the service’s clock is ahead, as a sandbox’s may be, name the time with --at`,
    )
  return null
}

function sentence(kind: SignedKind, content: SignedContent, { id }: PublishedKey): string {
  return `${kind.says(content)}, signed by ${shown(content.issuer)} with key ${shown(id)}`
}

function unsignedNames(names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`whether these fields are true, which are not signed: ${shown(names.join(', '))}`]
}
