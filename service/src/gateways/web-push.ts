import { createECDH, ECDH, type KeyObject } from 'node:crypto'
import ece from 'http_ece'
import { SignJWT } from 'jose'
import { assert } from '../kernel/assert.ts'

/** What a browser gives for notifications. Who has it can send them. */
export interface PushTarget {
  readonly endpoint: string
  /** Base64url of an uncompressed point of P-256. */
  readonly p256dh: string
  /** Base64url of 16 bytes. */
  readonly auth: string
}

/** The key by which push services know this service (RFC 8292). */
export interface PushKey {
  /** Base64url of an uncompressed point of P-256. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

export interface PushMessage {
  readonly text: string
  /** How long the push service keeps it for a browser that is not connected. */
  readonly ttlS: number
  readonly urgency: 'normal' | 'high'
}

/** Who sends it. */
export interface PushSender {
  readonly key: PushKey
  /** Where the operator of a push service reaches this service’s: a mailto: or https: address. */
  readonly contact: string
  /** The real time, because push services compare it with theirs. */
  readonly now: Date
}

export interface PushRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const CURVE = 'prime256v1'
/** At most a day is allowed (RFC 8292, section 2). */
const TOKEN_VALID_S = 12 * 3_600
/** All messages are filled up to this length, so that it says nothing of the content. Push services take 4,096 bytes. */
const PADDED_BYTES = 1_024

/** The request to a push service: the message encrypted for the browser alone (RFC 8291), and who sends it. */
export async function pushRequest(
  target: PushTarget,
  message: PushMessage,
  sender: PushSender,
): Promise<PushRequest> {
  const content = Buffer.from(message.text)
  assert(content.length <= PADDED_BYTES, 'the text of a notification is short')
  const once = createECDH(CURVE)
  once.generateKeys()
  const body = ece.encrypt(content, {
    version: 'aes128gcm',
    dh: target.p256dh,
    authSecret: target.auth,
    privateKey: once,
    pad: PADDED_BYTES - content.length,
  })
  return {
    url: target.endpoint,
    headers: {
      authorization: `vapid t=${await tokenFor(target.endpoint, sender)}, k=${sender.key.publicKey}`,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(message.ttlS),
      urgency: message.urgency,
    },
    body,
  }
}

function tokenFor(endpoint: string, { key, contact, now }: PushSender): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(endpoint).origin)
    .setSubject(contact)
    .setExpirationTime(Math.floor(now.getTime() / 1_000) + TOKEN_VALID_S)
    .sign(key.privateKey)
}

/** Whether a browser’s public key is a point of the curve; nothing can be encrypted for another. */
export function isPublicKey(p256dh: string): boolean {
  try {
    ECDH.convertKey(p256dh, CURVE, 'base64url', 'hex', 'uncompressed')
    return Buffer.from(p256dh, 'base64url')[0] === UNCOMPRESSED
  } catch {
    return false
  }
}

const UNCOMPRESSED = 0x04
