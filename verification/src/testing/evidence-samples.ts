import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { canonical } from './signer.ts'

/** A device with a passkey, as a test holds it. Everything here is plain node:crypto and hand-made CBOR. */
export interface Device {
  /** COSE, base64url. */
  readonly publicKey: string
  /** The evidence that it confirmed this document. */
  confirm(document: object, changes?: Partial<Confirmed>): Record<string, string>
}

interface Confirmed {
  readonly origin: string
  readonly rpId: string
  readonly type: string
  readonly flags: number
}

export const PASSKEY_ID = 'pky_01kb7q3f8meg5tz4x9wc2n6a01'
export const RP_ID = 'pay.example.com'
const VERIFIED_PERSON = 0x05

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

export function newDevice(algorithm: Algorithm = 'ES256'): Device {
  const { privateKey, cose } = KEYS[algorithm]()
  const digest = algorithm === 'EdDSA' ? null : 'sha256'
  return {
    publicKey: cose.toString('base64url'),
    confirm(document, changes = {}) {
      const {
        origin = `https://${RP_ID}`,
        rpId = RP_ID,
        type = 'webauthn.get',
        flags = VERIFIED_PERSON,
      } = changes
      const text = canonical(document)
      const salt = Buffer.alloc(32, 7)
      const challenge = sha256(Buffer.concat([Buffer.from(text), Buffer.from([0]), salt])).toString(
        'base64url',
      )
      const client = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
      const data = Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), Buffer.alloc(4)])
      const signature = sign(digest, Buffer.concat([data, sha256(client)]), privateKey)
      return {
        document: text,
        salt: salt.toString('base64url'),
        passkey_id: PASSKEY_ID,
        rp_id: rpId,
        origin,
        public_key: cose.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        client_data_json: client.toString('base64url'),
        signature: signature.toString('base64url'),
      }
    },
  }
}

const KEYS: Record<Algorithm, () => { readonly privateKey: KeyObject; readonly cose: Buffer }> = {
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  ES256() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x, y } = publicKey.export({ format: 'jwk' })
    return {
      privateKey,
      cose: Buffer.concat([hex('a5010203262001'), hex('215820'), raw(x), hex('225820'), raw(y)]),
    }
  },
  // {1: 1, 3: -8, -1: 6, -2: x}
  EdDSA() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    return { privateKey, cose: Buffer.concat([hex('a4010103272006'), hex('215820'), raw(x)]) }
  },
  // {1: 3, 3: -257, -1: n, -2: e}
  RS256() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { n, e } = publicKey.export({ format: 'jwk' })
    return { privateKey, cose: Buffer.concat([hex('a401030339010020590100'), raw(n), hex('2143'), raw(e)]) }
  },
}

function raw(part = ''): Buffer {
  return Buffer.from(part, 'base64url')
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
