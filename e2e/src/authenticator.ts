import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { BodyOf, createPasskey, PasskeyAssertion } from '@batua/contract'

/**
 * A passkey as a device keeps it, after WebAuthn sections 6.1 and 6.5: an ES256 key for one host. It encodes by itself
 * what the service decodes by a library.
 */
export interface Authenticator {
  /** Makes the credential for these creation options. */
  register(challenge: string): BodyOf<typeof createPasskey>['response']
  /** Signs a challenge; `changes` falsifies what a device would not. */
  sign(challenge: string, changes?: Changes): PasskeyAssertion
}

export interface Changes {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  /** Whether the device verified the person. */
  readonly isVerified?: boolean
}

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

export function newAuthenticator(origin: string): Authenticator {
  const rpId = new URL(origin).hostname
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const named = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' as const }
  return {
    register(challenge) {
      const credential = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseOf(publicKey)])
      const data = authenticatorData(rpId, PRESENT | VERIFIED | HAS_CREDENTIAL, credential)
      return {
        ...named,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: attestationOf(data).toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    sign(challenge, changes = {}) {
      const { isVerified = true } = changes
      const data = authenticatorData(changes.rpId ?? rpId, PRESENT | (isVerified ? VERIFIED : 0))
      const client = clientData(changes.type ?? 'webauthn.get', challenge, changes.origin ?? origin)
      return {
        ...named,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signatureOf(privateKey, data, client).toString('base64url'),
        },
      }
    },
  }
}

function signatureOf(key: KeyObject, data: Buffer, client: Buffer): Buffer {
  return sign('sha256', Buffer.concat([data, sha256(client)]), key)
}

function authenticatorData(rpId: string, flags: number, credential = Buffer.alloc(0)): Buffer {
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), Buffer.alloc(4), credential])
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

/** CBOR of `{fmt: "none", attStmt: {}, authData}`. */
function attestationOf(data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xa3]),
    ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])],
    ...[text('authData'), Buffer.from([0x59]), uint16(data.length), data],
  ])
}

/** CBOR of `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` (RFC 9053, section 7.1). */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const bytes = (value: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(value, 'base64url')])
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
    ...[Buffer.from([0x21]), bytes(x), Buffer.from([0x22]), bytes(y)],
  ])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest()
}
