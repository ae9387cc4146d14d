import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import {
  type Evidence,
  FORMATS,
  SignedChallenge,
  STEP_UP_HEADER,
  type StepUpChallenge,
} from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Caller } from '../../../http/caller.ts'
import { AppError, passkeyRequired, raise } from '../../../kernel/app-error.ts'
import { formatId } from '../../../kernel/ids.ts'
import { canonicalJson } from '../../../kernel/signing.ts'
import { actorOf, recordFacts } from '../../../operations/facts.ts'
import { verifyAssertion } from './assertion.ts'
import { documentChallenge, newChallenge, openChallenge, useChallenge } from './challenge.ts'
import type { PasskeysContext } from './context.ts'
import { usedFact } from './facts.ts'
import { requestOptions } from './options.ts'
import { type PersonCaller, usablePasskeys } from './person.ts'
import { requireRelyingParty } from './relying-party.ts'
import { type Passkey, updateUse } from './store.ts'

/** A request that a passkey may have to confirm. */
export interface ConfirmedCall {
  readonly caller: Caller
  /** The method and the path with its query, such as `POST /v1/allowances`. */
  readonly action: string
  readonly body: unknown
  readonly headers: IncomingHttpHeaders
  readonly now: Date
}

/** `not_needed`: the caller is no person, or has no passkey that can be used. */
export type Confirmation = 'confirmed' | 'not_needed' | 'missing'

/** What a passkey confirms, as an object; its canonical JSON is signed. It may name the challenge's expiry. */
export type DocumentOf = (challengeExpiresAt: Date) => object

/** Requires the passkey of a person for what matters most (contract section 12, Step-up). */
export interface StepUp {
  /** A challenge for a document; `conflict` if the person has no passkey that can be used. */
  challenge(caller: PersonCaller, documentOf: DocumentOf, now: Date): Promise<StepUpChallenge>
  /**
   * The evidence that a passkey of the person confirmed this document; null if the person has no passkey. It uses the
   * challenge up. Without a signed challenge, or with one of another document, it fails with `passkey_required`.
   */
  confirm(
    call: Pick<ConfirmedCall, 'headers' | 'now'> & { readonly caller: PersonCaller },
    documentOf: DocumentOf,
    signed: SignedChallenge | null,
  ): Promise<Evidence | null>
  /**
   * Whether a passkey confirmed a request by the header `X-Step-Up`. A request that was confirmed is recorded with its
   * evidence.
   */
  confirmationOf(call: ConfirmedCall): Promise<Confirmation>
  /** Fails with `passkey_required` if the confirmation is missing. */
  require(call: ConfirmedCall): Promise<void>
  /** The challenge for a request. */
  challengeFor(
    call: Omit<ConfirmedCall, 'headers'> & { readonly caller: PersonCaller },
  ): Promise<StepUpChallenge>
}

/** The routes of what a passkey may have to confirm. */
export interface WithStepUp {
  readonly stepUp: StepUp
}

export function openStepUp(context: PasskeysContext): StepUp {
  const { vault, relyingParty } = context

  const stepUp: StepUp = {
    async challenge(caller, documentOf, now) {
      const party = requireRelyingParty(relyingParty)
      const passkeys = await usablePasskeys(context, caller, now)
      if (passkeys.length === 0) {
        throw new AppError('conflict', 'You have no passkey that can be used, so nothing has to be confirmed')
      }
      const boundTo = boundOf(caller, documentOf)
      const { id, salt, expiresAt } = newChallenge(vault, boundTo, now)
      const document = canonicalJson(documentOf(expiresAt))
      return {
        document,
        salt: salt.toString('base64url'),
        challenge_id: id,
        expires_at: expiresAt.toISOString(),
        options: requestOptions(party, documentChallenge(document, salt), passkeys),
      }
    },

    confirm: (call, documentOf, signed) => confirm(context, call, documentOf, signed, null),

    async confirmationOf(call) {
      const { caller, headers, now, action } = call
      if (caller.kind !== 'owner' && caller.kind !== 'admin') return 'not_needed'
      const header = headers[STEP_UP_HEADER]
      if (header === undefined) {
        return (await usablePasskeys(context, caller, now)).length === 0 ? 'not_needed' : 'missing'
      }
      const signed = signedIn(String(header))
      const evidence = await confirm(context, { caller, headers, now }, documentOfCall(call), signed, action)
      return evidence === null ? 'not_needed' : 'confirmed'
    },

    async require(call) {
      if ((await stepUp.confirmationOf(call)) === 'missing') raise(passkeyRequired())
    },

    challengeFor: call => stepUp.challenge(call.caller, documentOfCall(call), call.now),
  }
  return stepUp
}

/** The document of a request: `subject` is who asks, as the audit log names the person. */
function documentOfCall({ caller, action, body }: Omit<ConfirmedCall, 'headers'>): DocumentOf {
  const body_sha256 = hash('sha256', canonicalJson(isObject(body) ? body : {}), 'hex')
  const subject = actorOf(caller).id
  return expiresAt => ({ action, body_sha256, subject, expires_at: expiresAt.toISOString() })
}

/** A challenge is good in the session that asked for it. */
function boundOf({ sessionId }: PersonCaller, documentOf: DocumentOf) {
  return (expiresAt: Date) => `${sessionId} ${canonicalJson(documentOf(expiresAt))}`
}

/** With an action, the use is recorded as an entry of its own. */
async function confirm(
  context: PasskeysContext,
  call: Pick<ConfirmedCall, 'headers' | 'now'> & { readonly caller: PersonCaller },
  documentOf: DocumentOf,
  signed: SignedChallenge | null,
  action: string | null,
): Promise<Evidence | null> {
  const { database, vault, relyingParty } = context
  const { caller, headers, now } = call
  const passkeys = await usablePasskeys(context, caller, now)
  if (passkeys.length === 0) return null
  if (signed === null) raise(passkeyRequired())
  const party = requireRelyingParty(relyingParty)
  const { challenge_id, response } = signed
  const challenge = openChallenge(vault, challenge_id, boundOf(caller, documentOf), now)
  if (challenge === null) raise(passkeyRequired(OTHER_CHALLENGE))
  const passkey = passkeys.find(({ credentialId }) => credentialId.toString('base64url') === response.id)
  if (passkey === undefined) raise(passkeyRequired('This passkey is not enrolled, or cannot be used now'))
  const document = canonicalJson(documentOf(challenge.expiresAt))
  const expected = documentChallenge(document, challenge.salt)
  const assertion = await verifyAssertion(party, passkey, expected, response, headers)
  if (assertion === null) raise(passkeyRequired('The response of the passkey does not verify'))
  const evidence = {
    ...{ document, salt: challenge.salt.toString('base64url'), passkey_id: formatId('pky', passkey.id) },
    ...{ rp_id: party.id, origin: assertion.origin, ...signedParts(passkey, response) },
  }
  await database.inTransaction(async tx => {
    if (!(await useChallenge(tx, challenge))) raise(passkeyRequired('This challenge was used already'))
    await updateUse(tx, passkey.id, assertion.signCount, now)
    if (action !== null) {
      await recordFacts(tx, vault, now, [usedFact(actorOf(caller), passkey.id, { action, evidence })])
    }
  })
  return evidence
}

function signedParts({ publicKey }: Passkey, { response }: SignedChallenge['response']) {
  return {
    public_key: publicKey.toString('base64url'),
    authenticator_data: response.authenticatorData,
    client_data_json: response.clientDataJSON,
    signature: response.signature,
  }
}

const OTHER_CHALLENGE =
  'This challenge was made for something else, in another session, or more than five minutes ago; ask for a new one'

const isSigned = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: FORMATS,
}).compile<SignedChallenge>(SignedChallenge)

function signedIn(header: string): SignedChallenge {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    value = null
  }
  if (isSigned(value)) return value
  throw new AppError(
    'validation_error',
    'X-Step-Up must be the base64 of the JSON {"challenge_id", "response"}',
    { field: 'X-Step-Up' },
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
