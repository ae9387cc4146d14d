import { bytesOfBase64 } from '../kernel/base64.ts'
import { verifyObject } from '../kernel/signing.ts'
import { aboutKey, keyFor, type PublishedKey, type PublishedKeys } from './published-keys.ts'
import { RECEIPT, type SignedContent, type SignedKind } from './signed-kinds.ts'
import { openToken, saysTheSame } from './token.ts'
import { type Doubt, forged, isDoubt, outdated, shown, unclear, type Verdict } from './verdict.ts'

/** A signed thing as its JSON gives it. */
export interface SignedCopy {
  readonly kind: SignedKind
  readonly content: SignedContent
  readonly signature: string
  /** The same as a token, where the copy has one. */
  readonly token: string | null
  /** Fields beside what is signed: whoever had the copy may have changed them. */
  readonly unsigned: readonly string[]
}

const SIGNATURE_BYTES = 64

export function checkSigned(copy: SignedCopy, keys: PublishedKeys, at: Date): Verdict {
  const { kind, content, token, unsigned } = copy
  const key = keyFor(content, keys)
  if (isDoubt(key)) return key
  const isSigned = bytesOfBase64(copy.signature)?.length === SIGNATURE_BYTES
  if (!isSigned || !verifyObject(content, copy.signature, key.key)) return withoutSignature(copy)
  const fault = token === null ? null : tokenFault(copy, token, keys)
  if (fault !== null) return fault
  return (
    inTime(kind, content, at) ?? {
      kind: 'genuine',
      says: sentence(kind, content, key),
      checked: [
        'the Ed25519 signature over the canonical JSON of what it says',
        ...(token === null ? [] : ['the token, signed too, says the same']),
        ...aboutKey(key),
      ],
      unknowable: [kind.unknowable, ...unsignedNames(unsigned)],
    }
  )
}

/** A token that comes alone. */
export function checkToken(token: string, keys: PublishedKeys, at: Date): Verdict {
  const opened = openToken(token, keys)
  if (isDoubt(opened)) return opened
  const { kind, content, key } = opened
  return (
    inTime(kind, content, at) ?? {
      kind: 'genuine',
      says: sentence(kind, content, key),
      checked: ['the Ed25519 signature of the token', ...aboutKey(key)],
      unknowable: [kind.unknowable],
    }
  )
}

/** Who is no party to a payment gets its receipt without the words, which are signed with the rest. */
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

/** Clocks differ a little; what comes from further ahead is not yet good. */
const CLOCKS_DIFFER_MS = 5 * 60_000

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
