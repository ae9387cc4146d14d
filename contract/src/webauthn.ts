import { type Static, type TString, Type } from 'typebox'
import { textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { oneOf, request, response } from './schema.ts'

/*
 * What browsers make and sign, in the JSON form of WebAuthn level 3, and what it proves.
 */

/** How long a challenge can be signed, in seconds (contract section 12, Step-up). */
export const CHALLENGE_VALID_S = 300

/** The header that carries a signed challenge: base64 of the JSON `{challenge_id, response}`. */
export const STEP_UP_HEADER = 'x-step-up'

export const EXAMPLE_BYTES = 'q80Xc3zQ0m2u7fGm3iN8Vg'
const LONGEST_KEY_ID = 2_000
const LONGEST_BYTES = 16_000

/** Bytes in base64url without padding, in a request. */
function bytesIn(description: string, maxLength = LONGEST_BYTES): TString {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]+$',
    description,
    examples: [EXAMPLE_BYTES],
  })
}

export function bytesOut(description: string): TString {
  return textOut(`${description} base64url.`, EXAMPLE_BYTES)
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

/** How a browser may reach the device with a passkey (WebAuthn, section 5.8.4). */
export type PasskeyTransport = (typeof TRANSPORTS)[number]

const credential = {
  id: bytesIn('The credential’s id, base64url.', LONGEST_KEY_ID),
  rawId: bytesIn('The same id.', LONGEST_KEY_ID),
  type: oneOf(['public-key'], 'The type of the credential.'),
  authenticatorAttachment: Type.Optional(
    oneOf(['platform', 'cross-platform'], 'Whether the passkey is on this device.'),
  ),
  clientExtensionResults: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      maxProperties: 20,
      description: 'What the browser says about extensions. The service uses none.',
    }),
  ),
}

const clientDataJSON = bytesIn('The client data that the browser signed, base64url.')
const transports = Type.Array(oneOf(TRANSPORTS, 'A way to reach the device.'), {
  maxItems: 10,
  description: 'How the browser may reach the device.',
})

export const exampleCredential = {
  id: EXAMPLE_BYTES,
  rawId: EXAMPLE_BYTES,
  type: 'public-key',
  clientExtensionResults: {},
}

/** A new credential, as `PublicKeyCredential.toJSON()` gives it. */
export const PasskeyRegistration = request(
  {
    ...credential,
    response: request(
      {
        clientDataJSON,
        attestationObject: bytesIn('The attestation object, base64url.'),
        authenticatorData: Type.Optional(bytesIn('Part of the attestation object. Not used.')),
        transports: Type.Optional(transports),
        publicKey: Type.Optional(bytesIn('Part of the attestation object. Not used.')),
        publicKeyAlgorithm: Type.Optional(
          Type.Integer({
            minimum: -65_536,
            maximum: 65_535,
            description: 'Part of the attestation object. Not used.',
            examples: [-7],
          }),
        ),
      },
      { description: 'What the authenticator made.' },
    ),
  },
  { title: 'PasskeyRegistration', description: 'The credential that the browser made with the options.' },
)

export const exampleAssertion = {
  ...exampleCredential,
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDc',
  },
}

/** A signature by a credential, as `PublicKeyCredential.toJSON()` gives it. */
export const PasskeyAssertion = request(
  {
    ...credential,
    response: request(
      {
        clientDataJSON,
        authenticatorData: bytesIn('The authenticator data, base64url.'),
        signature: bytesIn('The signature over both, base64url.'),
        userHandle: Type.Optional(bytesIn('The handle of the person, base64url.', 200)),
      },
      { description: 'What the authenticator signed.' },
    ),
  },
  {
    title: 'PasskeyAssertion',
    description: 'What the browser signed with the options.',
    examples: [exampleAssertion],
  },
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** A challenge that a passkey signed: in a body, or in the header `X-Step-Up`. */
export const signedChallenge = {
  challenge_id: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'The challenge that was signed.',
    examples: [EXAMPLE_BYTES],
  }),
  response: PasskeyAssertion,
}

export const SignedChallenge = request(signedChallenge, {
  title: 'SignedChallenge',
  examples: [{ challenge_id: EXAMPLE_BYTES, response: exampleAssertion }],
})
export type SignedChallenge = Static<typeof SignedChallenge>

export const KnownCredential = response(
  {
    id: bytesOut('The credential’s id,'),
    type: oneOf(['public-key'], 'The type of the credential.'),
    transports,
  },
  { description: 'A passkey that is enrolled.' },
)

export const timeout = Type.Integer({
  description: 'Milliseconds for which the browser should wait.',
  examples: [CHALLENGE_VALID_S * 1_000],
})
export const challenge = bytesOut('What the passkey signs,')
export const userVerification = oneOf(['required'], 'The device has to verify the person.')

export const RequestOptions = response(
  {
    challenge,
    rpId: textOut('The host for which the passkey was made.', 'pay.example.com'),
    timeout,
    allowCredentials: Type.Array(KnownCredential, {
      description: 'The passkeys that may sign; empty: any that the person has for this host.',
    }),
    userVerification,
  },
  {
    title: 'PasskeyRequestOptions',
    description: 'The options for `navigator.credentials.get`, in WebAuthn’s JSON form.',
  },
)

export const exampleOptions = {
  challenge: EXAMPLE_BYTES,
  rpId: 'pay.example.com',
  timeout: CHALLENGE_VALID_S * 1_000,
  allowCredentials: [{ id: EXAMPLE_BYTES, type: 'public-key', transports: ['internal'] }],
  userVerification: 'required',
}

/** What a passkey has to sign before the service acts. */
export const StepUpChallenge = response(
  {
    document: textOut(
      'The canonical JSON of what is confirmed. The challenge is the SHA-256 of its UTF-8 bytes, a zero byte and the salt.',
      '{"action":"POST /v1/allowances"}',
    ),
    salt: bytesOut('32 random bytes,'),
    challenge_id: textOut('Send it with the response.', EXAMPLE_BYTES),
    expires_at: timestamp('Until when it can be used, once.'),
    options: RequestOptions,
  },
  {
    title: 'StepUpChallenge',
    description: 'A challenge for a passkey.',
    examples: [
      {
        document: '{"action":"POST /v1/allowances"}',
        salt: EXAMPLE_BYTES,
        challenge_id: EXAMPLE_BYTES,
        expires_at: '2026-11-20T10:20:30.000Z',
        options: exampleOptions,
      },
    ],
  },
)
export type StepUpChallenge = Static<typeof StepUpChallenge>

const exampleEvidence = {
  document: '{"agent_id":"agt_…","amount":400,"approval_id":"apr_…"}',
  salt: EXAMPLE_BYTES,
  passkey_id: exampleId('pky'),
  rp_id: 'pay.example.com',
  origin: 'https://pay.example.com',
  public_key: 'pQECAyYgASFYIA',
  authenticator_data: 'SZYN5YgOjGh0NBcP',
  client_data_json: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  signature: 'MEUCIQDc',
}

/** What proves offline that a passkey confirmed a document. Bytes as base64url. */
export const Evidence = response(
  {
    document: textOut('The canonical JSON of what was confirmed.', '{"approval_id":"apr_…"}'),
    salt: bytesOut('32 random bytes,'),
    passkey_id: idSchema('pky'),
    rp_id: textOut('The host for which the passkey was made.', 'pay.example.com'),
    origin: textOut('The page on which it was confirmed.', 'https://pay.example.com'),
    public_key: bytesOut('The passkey’s public key (COSE),'),
    authenticator_data: bytesOut('The authenticator data,'),
    client_data_json: bytesOut('The client data,'),
    signature: bytesOut('The signature over the authenticator data and the SHA-256 of the client data,'),
  },
  {
    title: 'Evidence',
    description: 'Proves offline that a passkey confirmed the document (`npm run verify`).',
    examples: [exampleEvidence],
  },
)
export type Evidence = Static<typeof Evidence>
