import {
  AgentOrigins,
  Certificate,
  FORMATS,
  IdentityVerification,
  MembershipProof,
  Receipt,
} from '@batua/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Static, type TObject, Type } from 'typebox'
import { shown } from './verification-result.ts'

/** The fields of every signed object. */
export interface SignedContent {
  readonly issuer: string
  readonly key_id: string
  readonly [field: string]: unknown
}

/** Registered claims of a token (RFC 7519, section 4.1), and what they must be for this content. */
export type Claims = Readonly<Record<string, string | number>>

/** One kind of object that the service signs as canonical JSON and as a token. */
export interface SignedKind {
  readonly name: string
  /** The `typ` of its token, so that no token is taken for another kind. */
  readonly typ: string
  /** The signed fields; null: all are. */
  readonly signedNames: readonly string[] | null
  readonly fits: ValidateFunction
  says(content: SignedContent): string
  claims(content: SignedContent): Claims
  /** The period of its validity; null when it has no end. */
  span(content: SignedContent): { readonly from: string; readonly until: string } | null
  /** The date at which its key must have been in use. */
  dated(content: SignedContent): string
  /** The content of its entry in the audit log; null when there is none. */
  entry(content: SignedContent): EntryFacts | null
  readonly unknowable: string
  /** The fields that the entry in the log does not contain; null when there are none, or no entry. */
  readonly notInLog: string | null
}

/** The content of an audit entry without its actor. */
export interface EntryFacts {
  readonly action: string
  readonly target: string
  readonly agent_id: string
  readonly created_at: string
  readonly data: object
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS })

/** Types a kind's functions by the type of its schema. */
function kindOf<Schema extends TObject>(
  schema: Schema,
  kind: {
    readonly name: string
    readonly typ: string
    readonly signedNames?: readonly string[]
    readonly says: (content: Static<Schema>) => string
    readonly claims: (content: Static<Schema>) => Claims
    readonly span?: (content: Static<Schema>) => { readonly from: string; readonly until: string }
    readonly dated: (content: Static<Schema>) => string
    readonly entry?: (content: Static<Schema>) => EntryFacts
    readonly unknowable: string
    readonly notInLog?: string
  },
): SignedKind {
  const typed = (content: SignedContent) => content as Static<Schema>
  return {
    name: kind.name,
    typ: kind.typ,
    signedNames: kind.signedNames ?? null,
    fits: ajv.compile(schema),
    says: content => kind.says(typed(content)),
    claims: content => kind.claims(typed(content)),
    span: content => kind.span?.(typed(content)) ?? null,
    dated: content => kind.dated(typed(content)),
    entry: content => kind.entry?.(typed(content)) ?? null,
    unknowable: kind.unknowable,
    notInLog: kind.notInLog ?? null,
  }
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}

/** Contract section 7: exactly these fields, so that hidden and changing fields are not signed. */
const CERTIFICATE_FIELDS = [
  'id',
  'agent_id',
  'issuer',
  'subject',
  'public_key',
  'capabilities',
  'tier',
  'issued_at',
  'expires_at',
  'key_id',
] as const

export const RECEIPT = kindOf(Type.Omit(Receipt, ['signature', 'token']), {
  name: 'receipt',
  typ: 'receipt+jwt',
  says: ({ receipt_id, amount, currency, from_handle, to_handle }) =>
    `receipt ${receipt_id} of ${amount.toFixed(2)} ${currency} from ${shown(from_handle)} to ${shown(to_handle)}`,
  claims: ({ issuer, receipt_id, created_at }) => ({
    iss: issuer,
    jti: receipt_id,
    iat: seconds(created_at),
  }),
  dated: ({ created_at }) => created_at,
  entry: ({ payment_id, from, to, amount, fee, reference, note, created_at }) => ({
    action: 'payment.completed',
    target: payment_id,
    agent_id: from,
    created_at,
    data: { to, amount, fee, reference, note },
  }),
  unknowable: 'whether some of the money was refunded later',
  notInLog: 'whether the handles are those of the two agents, which the log does not name',
})

export const CERTIFICATE = kindOf(Type.Pick(Certificate, [...CERTIFICATE_FIELDS]), {
  name: 'certificate',
  typ: 'certificate+jwt',
  signedNames: CERTIFICATE_FIELDS,
  says: ({ id, subject, agent_id, expires_at }) =>
    `certificate ${id} of ${shown(subject)} (${agent_id}), valid until ${expires_at}`,
  claims: ({ id, issuer, agent_id, issued_at, expires_at }) => ({
    iss: issuer,
    jti: id,
    sub: agent_id,
    iat: seconds(issued_at),
    exp: seconds(expires_at),
  }),
  span: ({ issued_at, expires_at }) => ({ from: issued_at, until: expires_at }),
  dated: ({ issued_at }) => issued_at,
  entry: ({ id, agent_id, capabilities, tier, public_key, issued_at, expires_at, key_id }) => ({
    action: 'certificate.issued',
    target: id,
    agent_id,
    created_at: issued_at,
    data: { capabilities, tier, public_key, expires_at, key_id },
  }),
  notInLog: 'whether the subject is the name of the agent, which the log does not record',
  unknowable: 'whether it was revoked; GET /v1/certificates/{cert_id}/verify says that, without a credential',
})

const { signature: _, token: __, origins, ...identityProperties } = IdentityVerification.properties

/** Objects of releases before origins do not contain them. */
const IdentityContent = Type.Object(
  { ...identityProperties, origins: Type.Optional(origins) },
  { additionalProperties: false },
)

export const IDENTITY = kindOf(IdentityContent, {
  name: 'identity verification',
  typ: 'identity+jwt',
  says: ({ handle, agent_id, status, kyc_status, tier, verified_at }) =>
    `identity of ${shown(handle)} (${agent_id}): ${status}, ${tier}, KYC ${kyc_status}, as of ${verified_at}`,
  claims: ({ issuer, agent_id, verified_at }) => ({
    iss: issuer,
    sub: agent_id,
    iat: seconds(verified_at),
  }),
  dated: ({ verified_at }) => verified_at,
  unknowable: 'what has changed since that moment',
})

export const ORIGINS = kindOf(Type.Omit(AgentOrigins, ['signature']), {
  name: 'origins document',
  typ: 'origins+jwt',
  says: ({ handle, agent_id, origins, signed_at }) =>
    `origins of ${shown(handle)} (${agent_id}): ${origins.length === 0 ? 'none named' : shown(origins.join(', '))}, as of ${signed_at}`,
  claims: ({ issuer, agent_id, signed_at }) => ({ iss: issuer, sub: agent_id, iat: seconds(signed_at) }),
  dated: ({ signed_at }) => signed_at,
  unknowable: 'what has changed since that moment',
})

export const MEMBERSHIP_PROOF = kindOf(MembershipProof.properties.proof, {
  name: 'membership proof',
  typ: 'membership-proof+jwt',
  says: ({ handle, agent_id, tier, kyc_status, expires_at }) =>
    `membership proof of ${shown(handle)} (${agent_id}): ${tier}, KYC ${kyc_status}, valid until ${expires_at}`,
  claims: ({ issuer, agent_id, issued_at, expires_at }) => ({
    iss: issuer,
    sub: agent_id,
    iat: seconds(issued_at),
    exp: seconds(expires_at),
  }),
  span: ({ issued_at, expires_at }) => ({ from: issued_at, until: expires_at }),
  dated: ({ issued_at }) => issued_at,
  unknowable: 'whether the agent was stopped since it was issued',
})

export const SIGNED_KINDS = [RECEIPT, CERTIFICATE, IDENTITY, ORIGINS, MEMBERSHIP_PROOF] as const

/** Why a value is not an object of this kind; null when it is. */
export function misfit(kind: SignedKind, content: unknown): string | null {
  return kind.fits(content) ? null : ajv.errorsText(kind.fits.errors, { dataVar: kind.name })
}
