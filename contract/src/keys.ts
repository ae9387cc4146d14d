import { type Static, Type } from 'typebox'
import { base64Out, EXAMPLE_PUBLIC_KEY, textOut, timestamp } from './fields.ts'
import { route } from './route.ts'
import { nullable, oneOf, response } from './schema.ts'

const exampleKey = EXAMPLE_PUBLIC_KEY
const exampleKeyInUrl = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'

const ALL_KEYS = 'All keys that ever signed, the active one first. A new key is listed before it signs.'

/** The period in which signatures of a key may be dated. */
const keySpan = {
  active_from: timestamp('The key’s signatures are not dated before this time.'),
  retired_at: nullable(
    timestamp('The key’s signatures are not dated after this time; null while no other key follows it.'),
  ),
  revoked_at: nullable(
    timestamp(
      'From this time on the key may have been stolen; null for a key that is not revoked. Dates signed by a revoked key prove nothing, because a thief of the key can choose them.',
    ),
  ),
}

const exampleSpan = { active_from: '2026-11-01T00:00:00.000Z', retired_at: null, revoked_at: null }

/** The service's public keys (interface section 4, contract section 7). Base64 of the raw 32 bytes. */
export const ServiceKeys = response(
  {
    platform: textOut('The name of the service, which is the issuer in its signatures.', 'batua'),
    algorithm: oneOf(['Ed25519'], 'The signature algorithm.'),
    public_key: base64Out('The active key, base64 of its 32 bytes.', 32),
    key_id: textOut('The id of the active key.', 'key_2026-11_5d41402a'),
    keys: Type.Array(
      response(
        {
          key_id: textOut('The key’s id, as in its signatures.', 'key_2026-11_5d41402a'),
          public_key: base64Out('The key, base64 of its 32 bytes.', 32),
          status: oneOf(
            ['active', 'retired', 'revoked'],
            'An active key signs, or will sign soon. A retired key signs nothing dated after `retired_at`; its signatures stay valid. A revoked key’s signatures count only with an inclusion proof under a checkpoint of another key.',
          ),
          ...keySpan,
        },
        { description: 'One public key.' },
      ),
      { description: ALL_KEYS },
    ),
  },
  {
    title: 'ServiceKeys',
    description: 'The public keys that verify every signature of the service offline.',
    examples: [
      {
        platform: 'batua',
        algorithm: 'Ed25519',
        public_key: exampleKey,
        key_id: 'key_2026-11_5d41402a',
        keys: [{ key_id: 'key_2026-11_5d41402a', public_key: exampleKey, status: 'active', ...exampleSpan }],
      },
    ],
  },
)
export type ServiceKeys = Static<typeof ServiceKeys>

/** The same keys as a JSON Web Key Set (RFC 7517, RFC 8037). */
export const Jwks = response(
  {
    keys: Type.Array(
      response(
        {
          kty: oneOf(['OKP'], 'Key type: octet key pair.'),
          crv: oneOf(['Ed25519'], 'The curve.'),
          x: textOut('The public key, base64url of its 32 bytes.', exampleKeyInUrl),
          kid: textOut('The key’s id.', 'key_2026-11_5d41402a'),
          alg: oneOf(['EdDSA'], 'The algorithm.'),
          use: Type.Optional(oneOf(['sig'], '`sig`; absent for a revoked key.')),
          key_ops: Type.Optional(
            Type.Array(oneOf(['verify'], 'An operation.'), {
              description:
                'Present and empty for a revoked key, so that JOSE libraries do not verify with it (RFC 7517, section 4.3).',
            }),
          ),
          ...keySpan,
        },
        { description: 'One public key.' },
      ),
      { description: ALL_KEYS },
    ),
  },
  {
    title: 'Jwks',
    description: 'The service’s keys as a JSON Web Key Set.',
    examples: [
      {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: exampleKeyInUrl,
            kid: 'key_2026-11_5d41402a',
            alg: 'EdDSA',
            use: 'sig',
            ...exampleSpan,
          },
        ],
      },
    ],
  },
)
export type Jwks = Static<typeof Jwks>

export const getServiceKeys = route({
  operationId: 'getServiceKeys',
  method: 'GET',
  path: '/.well-known/service-keys.json',
  tag: 'Keys',
  summary: 'Get the service’s public keys',
  description: 'Public. The keys that verify the service’s signatures offline.',
  who: [],
  status: 200,
  response: ServiceKeys,
  errors: [],
})

export const getJwks = route({
  operationId: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Keys',
  summary: 'Get the public keys as JWKS',
  description: 'Public. The same keys in the format of JOSE libraries.',
  who: [],
  status: 200,
  response: Jwks,
  errors: [],
})
