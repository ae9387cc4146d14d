import { type Static, Type } from 'typebox'
import { nameText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'
import { verifyOtp } from './sessions.ts'
import {
  bytesOut,
  CHALLENGE_VALID_S,
  challenge,
  EXAMPLE_BYTES,
  exampleAssertion,
  exampleCredential,
  exampleOptions,
  KnownCredential,
  PasskeyAssertion,
  PasskeyRegistration,
  RequestOptions,
  StepUpChallenge,
  timeout,
  userVerification,
} from './webauthn.ts'

const examplePasskey = {
  passkey_id: exampleId('pky'),
  audit_id: exampleId('aud'),
  name: 'Asha’s phone',
  created_at: '2026-11-20T10:15:30.000Z',
  effective_at: '2026-11-20T10:15:30.000Z',
  removed_at: null,
  last_used_at: null,
}

export const Passkey = response(
  {
    passkey_id: idSchema('pky'),
    audit_id: idSchema(
      'aud',
      'The audit entry of its enrolment: its proof shows whose key signed an approval (`npm run verify`).',
    ),
    name: textOut('Its name.', 'Asha’s phone'),
    created_at: timestamp('When it was enrolled.'),
    effective_at: timestamp('From when it can be used; after `created_at` if it waits for the cooldown.'),
    removed_at: nullable(timestamp('From when it cannot be used any more; null: it is not removed.')),
    last_used_at: nullable(timestamp('When it was last used; null: never.')),
  },
  {
    title: 'Passkey',
    description: 'A passkey of the person of this session.',
    examples: [examplePasskey],
  },
)
export type Passkey = Static<typeof Passkey>

const noRelyingParty =
  'Browsers make passkeys only for a host name by https, or at localhost: if `BASE_URL` is neither, this is `conflict`.'

export const getPasskeyOptions = route({
  operationId: 'getPasskeyOptions',
  method: 'POST',
  path: '/v1/passkeys/options',
  tag: 'Passkeys',
  summary: 'Prepare a passkey',
  description: `The options for \`navigator.credentials.create\`, in WebAuthn’s JSON form. They are valid for five minutes. ${noRelyingParty}`,
  who: ['owner', 'admin'],
  status: 200,
  response: response(
    {
      challenge,
      rp: response(
        {
          id: textOut('The host for which the passkey is made.', 'pay.example.com'),
          name: textOut('The service’s name.', 'Batua'),
        },
        { description: 'The service.' },
      ),
      user: response(
        {
          id: bytesOut('The handle of the person,'),
          name: textOut('The masked phone.', 'xxxxxx3210'),
          displayName: textOut('How the browser shows the passkey.', 'Batua xxxxxx3210'),
        },
        { description: 'The person.' },
      ),
      pubKeyCredParams: Type.Array(
        response(
          {
            type: oneOf(['public-key'], 'The type of the credential.'),
            alg: Type.Integer({ description: 'The COSE algorithm.', examples: [-7] }),
          },
          { description: 'An algorithm.' },
        ),
        { description: 'The algorithms that the service accepts.' },
      ),
      timeout,
      attestation: oneOf(['none'], 'The service asks for no attestation.'),
      excludeCredentials: Type.Array(KnownCredential, {
        description: 'The passkeys that are enrolled, so that no device enrols twice.',
      }),
      authenticatorSelection: response(
        {
          residentKey: oneOf(['required'], 'The passkey is found without a name.'),
          requireResidentKey: Type.Literal(true, { description: 'The same, for older browsers.' }),
          userVerification,
        },
        { description: 'What the authenticator has to be able to do.' },
      ),
    },
    {
      title: 'PasskeyCreationOptions',
      description: 'The options for a new passkey.',
      examples: [
        {
          challenge: EXAMPLE_BYTES,
          rp: { id: 'pay.example.com', name: 'Batua' },
          user: { id: EXAMPLE_BYTES, name: 'xxxxxx3210', displayName: 'Batua xxxxxx3210' },
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          timeout: CHALLENGE_VALID_S * 1_000,
          attestation: 'none',
          excludeCredentials: [],
          authenticatorSelection: {
            residentKey: 'required',
            requireResidentKey: true,
            userVerification: 'required',
          },
        },
      ],
    },
  ),
  errors: ['conflict'],
})

export const createPasskey = route({
  operationId: 'createPasskey',
  method: 'POST',
  path: '/v1/passkeys',
  tag: 'Passkeys',
  summary: 'Enrol a passkey',
  description:
    'Enrols the credential that the browser made with the options. From then on approving, raising limits, allowances, another bank account and, for administrators, restoring and tier changes need it. The first passkey can be used at once. A further one can be used at once if the request has a step-up; otherwise after the cooldown, and a text message informs the person, who can remove it until then. At most 20.',
  who: ['owner', 'admin'],
  stepUp: true,
  body: request(
    { name: nameText('A name for it.', 'Asha’s phone'), response: PasskeyRegistration },
    {
      title: 'CreatePasskeyRequest',
      examples: [
        {
          name: 'Asha’s phone',
          response: {
            ...exampleCredential,
            response: {
              clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
              attestationObject: 'o2NmbXRkbm9uZQ',
            },
          },
        },
      ],
    },
  ),
  status: 201,
  response: Passkey,
  errors: ['validation_error', 'conflict'],
})

export const listPasskeys = route({
  operationId: 'listPasskeys',
  method: 'GET',
  path: '/v1/passkeys',
  tag: 'Passkeys',
  summary: 'List your passkeys',
  description:
    'The passkeys of the person of this session, oldest first. What a removed passkey confirmed is proved with the entry of its enrolment too.',
  who: ['owner', 'admin'],
  query: request({
    include: Type.Optional(
      oneOf(['removed'], '`removed`: the removed ones too, which are left out otherwise.'),
    ),
  }),
  status: 200,
  response: response(
    { passkeys: Type.Array(Passkey, { description: 'Oldest first.' }) },
    {
      title: 'Passkeys',
      description: 'The passkeys of this person.',
      examples: [{ passkeys: [examplePasskey] }],
    },
  ),
  errors: [],
})

const params = request({ passkey_id: idParam('pky') })

export const deletePasskey = route({
  operationId: 'deletePasskey',
  method: 'DELETE',
  path: '/v1/passkeys/{passkey_id}',
  tag: 'Passkeys',
  summary: 'Remove a passkey',
  description:
    'With a step-up the passkey is removed at once; otherwise after the cooldown, and a text message informs the person, who can keep it until then. A passkey that cannot be used yet is removed at once.',
  who: ['owner', 'admin'],
  stepUp: true,
  params,
  status: 200,
  response: Passkey,
  errors: ['not_found'],
})

export const keepPasskey = route({
  operationId: 'keepPasskey',
  method: 'DELETE',
  path: '/v1/passkeys/{passkey_id}/removal',
  tag: 'Passkeys',
  summary: 'Keep a passkey that would be removed',
  description: 'Cancels a removal that waits for the cooldown.',
  who: ['owner', 'admin'],
  params,
  status: 200,
  response: Passkey,
  errors: ['not_found'],
})

export const requestStepUp = route({
  operationId: 'requestStepUp',
  method: 'POST',
  path: '/v1/step-up',
  tag: 'Passkeys',
  summary: 'Ask for a challenge',
  description:
    'A challenge for one request that needs a passkey. Sign it, then send that request with the header `X-Step-Up`: base64 of the JSON `{challenge_id, response}`. The document has `action`, `body_sha256` (of the canonical JSON of the body, `{}` without one), `subject` and `expires_at`. A person without a passkey that can be used gets `conflict`, and needs no step-up.',
  who: ['owner', 'admin'],
  body: request(
    {
      action: Type.String({
        maxLength: 300,
        pattern: '^(?:POST|PATCH|DELETE) /[!-~]*$',
        description: 'The method and the path with its query of the request that is confirmed.',
        examples: ['POST /v1/allowances'],
      }),
      body: Type.Optional(
        Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
          maxProperties: 100,
          description: 'The body of that request; absent: it has none.',
        }),
      ),
    },
    {
      title: 'StepUpRequest',
      examples: [{ action: 'DELETE /v1/passkeys/pky_01kb7q3f8meg5tz4x9wc2n6a01' }],
    },
  ),
  status: 200,
  response: StepUpChallenge,
  errors: ['conflict'],
})

export const getPasskeyLoginOptions = route({
  operationId: 'getPasskeyLoginOptions',
  method: 'POST',
  path: '/v1/auth/passkey/options',
  tag: 'Login',
  summary: 'Prepare a login by passkey',
  description: `The options for \`navigator.credentials.get\`; any passkey for this host may sign. They are valid for five minutes. ${noRelyingParty}`,
  who: [],
  status: 200,
  response: response(RequestOptions.properties, {
    title: 'PasskeyLoginOptions',
    description: 'The options for a login.',
    examples: [{ ...exampleOptions, allowCredentials: [] }],
  }),
  errors: ['conflict', 'authorization_error'],
})

export const logInByPasskey = route({
  operationId: 'logInByPasskey',
  method: 'POST',
  path: '/v1/auth/passkey/verify',
  tag: 'Login',
  summary: 'Log an owner in by passkey',
  description:
    'Opens a session as `POST /v1/auth/verify-otp` does, without a code. A response that does not verify, was used or is older than five minutes is `authentication_error`. A passkey of an administrator opens no session.',
  who: [],
  body: request(
    { response: PasskeyAssertion },
    { title: 'LogInByPasskeyRequest', examples: [{ response: exampleAssertion }] },
  ),
  status: 200,
  response: verifyOtp.response,
  responseDescription: 'Logged in; the session is in the header `Set-Cookie`.',
  errors: ['authentication_error', 'authorization_error'],
})
