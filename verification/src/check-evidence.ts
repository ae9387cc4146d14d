import { createHash, createPublicKey, hash, type JsonWebKeyInput, type KeyObject, verify } from 'node:crypto'
import { Evidence, FORMATS } from '@batua/contract'
import { cose, isoCBOR, parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { provenEntry } from './log-proof.ts'
import type { PublishedKeys } from './published-keys.ts'
import { isObject, type JsonObject, readJson } from './read-json.ts'
import { canonicalJson } from './signatures.ts'
import {
  type Doubt,
  forged,
  isDoubt,
  shown,
  unclear,
  type VerificationResult,
} from './verification-result.ts'

/*
 * What a passkey of an owner or administrator confirmed (WebAuthn level 3, section 7.2; contract section 12, Step-up).
 * The service cannot make it: the key is on the person's device. Whose key it is, the entry of its enrolment says.
 */

const isEvidence = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS }).compile<Evidence>(
  Evidence,
)

const CHECKED = [
  'the signature of the passkey over the page, the host and the challenge',
  'the challenge: the SHA-256 of the document and the salt',
  'that the device verified the person',
]

const UNKNOWABLE = [
  'whether the passkey had been removed before',
  'whether the service acted on it; the audit entry of the act says so',
]

/** Checks evidence alone: what its document says was confirmed. */
export function checkEvidence(
  evidence: unknown,
  proof: string | null,
  keys: PublishedKeys,
): VerificationResult {
  if (!isEvidence(evidence))
    return forged(`it is no whole evidence: ${shown(String(isEvidence.errors?.[0]?.message))}`)
  const fault = signatureFault(evidence)
  if (fault !== null) return forged(fault)
  const enrolment = enrolmentDoubt(evidence, proof, keys)
  if (enrolment !== null) return enrolment
  return {
    kind: 'genuine',
    says: `${sentence(JSON.parse(evidence.document))}, confirmed with the passkey ${evidence.passkey_id} on ${shown(evidence.origin)}`,
    checked: [...CHECKED, 'the entry of the audit log by which this key was enrolled'],
    unknowable: UNKNOWABLE,
  }
}

/** Checks the record of an approval: whether its passkey confirmed what the record says. */
export function checkApproval(
  { evidence, ...record }: JsonObject,
  proof: string | null,
  keys: PublishedKeys,
): VerificationResult {
  if (evidence === null)
    return unclear('no passkey confirmed this approval, so nothing in it can be verified offline')
  const result = checkEvidence(evidence, proof, keys)
  // Without the enrolment the signature still shows whether the record says something else.
  if (isDoubt(result) && result.verdict !== 'cannot tell') return result
  const signed = JSON.parse((evidence as Evidence).document) as JsonObject
  const { context } = record
  const said = {
    ...Object.fromEntries(OF_RECORD.map(name => [name, record[name] ?? null])),
    currency: 'INR',
    context_sha256: isObject(context) ? hash('sha256', canonicalJson(context), 'hex') : null,
    allow: signed['allow'] ?? null,
  }
  if (canonicalJson(said) !== (evidence as Evidence).document)
    return forged('the passkey confirmed something else than the record says')
  if (isDoubt(result)) return result
  const others = Object.keys(record).filter(name => name !== 'context' && !OF_RECORD.includes(name))
  const unsigned = `whether these fields are true, which are not signed: ${shown(others.join(', '))}`
  return { ...result, unknowable: [...result.unknowable, unsigned] }
}

/** The fields of an approval that its document has under the same names. */
const OF_RECORD: readonly string[] = [
  'approval_id',
  'agent_id',
  'kind',
  'to',
  'amount',
  'fee',
  'reference',
  'expires_at',
]

/** Decoders ignore a letter too many, so a copy could be altered and still decode to the same bytes. */
const BINARY = ['salt', 'public_key', 'authenticator_data', 'client_data_json', 'signature'] as const

/** Why the passkey did not sign the document; null when it did. */
function signatureFault(evidence: Evidence): string | null {
  const { document, salt, rp_id, origin } = evidence
  if (BINARY.some(name => bytesOf(evidence[name]).toString('base64url') !== evidence[name]))
    return 'a value in it is not base64url, as the service writes it'
  const json = readJson(document)
  if (isDoubt(json) || !isObject(json.value) || canonicalJson(json.value) !== document)
    return 'its document is not canonical JSON'
  const clientData = bytesOf(evidence.client_data_json)
  const client = clientDataIn(clientData)
  const challenge = createHash('sha256')
    .update(document)
    .update('\0')
    .update(bytesOf(salt))
    .digest('base64url')
  if (client['type'] !== 'webauthn.get') return 'it is no confirmation by a passkey'
  if (client['challenge'] !== challenge) return 'the passkey signed another document'
  if (client['origin'] !== origin || !isOf(rp_id, origin)) return 'the passkey signed on another page'
  const data = bytesOf(evidence.authenticator_data)
  const device = authenticatorDataIn(data)
  const host = createHash('sha256').update(rp_id).digest()
  if (device === null || !host.equals(device.rpIdHash)) return 'the passkey signed for another host'
  if (!device.flags.up || !device.flags.uv) return 'the device did not verify the person'
  const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
  const isSigned = isSignedBy(bytesOf(evidence.public_key), signed, bytesOf(evidence.signature))
  return isSigned ? null : 'the signature of the passkey does not fit'
}

/** A passkey of a host may be used on its pages and on those of hosts below it (WebAuthn, section 5.1.4.1). */
function isOf(rpId: string, origin: string): boolean {
  const host = URL.parse(origin)?.hostname
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`))
}

function clientDataIn(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function authenticatorDataIn(bytes: Buffer) {
  try {
    return parseAuthenticatorData(new Uint8Array(bytes))
  } catch {
    return null
  }
}

function isSignedBy(publicKey: Buffer, signed: Buffer, signature: Buffer): boolean {
  try {
    const { key, algorithm } = keyIn(publicKey)
    return verify(algorithm, signed, key, signature)
  } catch {
    return false
  }
}

/** The key of a COSE_Key (RFC 9053) of the algorithms that the service enrols: ES256, EdDSA, RS256. */
function keyIn(bytes: Buffer): { readonly key: KeyObject; readonly algorithm: 'sha256' | null } {
  const decoded = isoCBOR.decodeFirst<Map<number, number | Uint8Array>>(new Uint8Array(bytes))
  const text = (name: number) => Buffer.from(decoded.get(name) as Uint8Array).toString('base64url')
  const { COSEKEYS, COSEALG } = cose
  const key = (jwk: JsonWebKeyInput['key']) => createPublicKey({ format: 'jwk', key: jwk })
  switch (decoded.get(COSEKEYS.alg)) {
    case COSEALG.ES256:
      return {
        algorithm: 'sha256',
        key: key({ kty: 'EC', crv: 'P-256', x: text(COSEKEYS.x), y: text(COSEKEYS.y) }),
      }
    case COSEALG.EdDSA:
      return { algorithm: null, key: key({ kty: 'OKP', crv: 'Ed25519', x: text(COSEKEYS.x) }) }
    case COSEALG.RS256:
      return { algorithm: 'sha256', key: key({ kty: 'RSA', n: text(COSEKEYS.n), e: text(COSEKEYS.e) }) }
    default:
      throw new Error('an unknown algorithm')
  }
}

/** Whether the log shows whose key it is. Without the entry, anybody could have made the key. */
function enrolmentDoubt(evidence: Evidence, proof: string | null, keys: PublishedKeys): Doubt | null {
  if (proof === null)
    return unclear(
      'signed by a key whose enrolment was not shown; name the response of /v1/audit/verify for the audit_id of the passkey with --proof',
      CHECKED,
    )
  const entry = provenEntry(proof, keys)
  if (isDoubt(entry)) return entry
  const { public_key, rp_id, effective_at } = entry.data ?? {}
  if (entry.action !== 'passkey.enrolled' || entry.target !== evidence.passkey_id)
    return unclear('the entry of --proof is not the enrolment of this passkey')
  if (public_key !== evidence.public_key || rp_id !== evidence.rp_id)
    return forged('the passkey was enrolled with another key or for another host')
  const { expires_at } = JSON.parse(evidence.document) as JsonObject
  if (Date.parse(String(effective_at)) > Date.parse(String(expires_at)))
    return forged('the passkey could not be used yet when the document expired')
  return null
}

function sentence(document: JsonObject): string {
  const said = (of: JsonObject, name: string) =>
    shown(JSON.stringify(of[name] ?? null).replaceAll(/^"|"$/g, ''))
  if (!('approval_id' in document))
    return `the request ${said(document, 'action')} of ${said(document, 'subject')}`
  const { to, allow } = document
  const payee = to === null ? 'a payee that is named at the release' : said(document, 'to')
  const more = isObject(allow) ? `, and ${said(allow, 'amount')} INR more until ${said(allow, 'until')}` : ''
  const [id, amount, payer] = [
    said(document, 'approval_id'),
    said(document, 'amount'),
    said(document, 'agent_id'),
  ]
  return `approval ${id} of ${amount} INR from ${payer} to ${payee}${more}`
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}
