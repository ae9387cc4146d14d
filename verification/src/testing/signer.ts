import { generateKeyPairSync, hash, sign } from 'node:crypto'

/** A service's key as a test holds it, and its documents. Everything here is plain node:crypto. */
export interface Signer {
  readonly service: string
  readonly keyId: string
  readonly publicKey: string
  signature(value: object): string
  token(typ: string, claims: object, head?: object): string
  note(text: string): string
}

const RAW_KEY_BYTES = 32

export function newSigner(service = 'batua', keyId = 'key_2026-11_0a1b2c3d'): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_KEY_BYTES)
  const signed = (bytes: string) => sign(null, Buffer.from(bytes), privateKey)
  const origin = `${service}/audit`
  const noteKey = hash('sha256', Buffer.concat([Buffer.from(`${origin}\n\x01`), raw]), 'buffer').subarray(
    0,
    4,
  )
  return {
    service,
    keyId,
    publicKey: raw.toString('base64'),
    signature: value => signed(canonical(value)).toString('base64'),
    token(typ, claims, head = {}) {
      const parts = `${encoded({ alg: 'EdDSA', kid: keyId, typ, ...head })}.${encoded(claims)}`
      return `${parts}.${signed(parts).toString('base64url')}`
    },
    note: text => `${text}\n— ${origin} ${Buffer.concat([noteKey, signed(text)]).toString('base64')}\n`,
  }
}

/** RFC 8785 for the values of these tests: names in order, no space. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join()}}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The key document of these keys, the first of them in use. */
export function keyDocument(inUse: Signer, ...retired: readonly Signer[]): object {
  const entry = ({ keyId, publicKey }: Signer, status: string) => ({
    key_id: keyId,
    public_key: publicKey,
    status,
  })
  return {
    platform: inUse.service,
    algorithm: 'Ed25519',
    public_key: inUse.publicKey,
    key_id: inUse.keyId,
    keys: [entry(inUse, 'active'), ...retired.map(key => entry(key, 'retired'))],
  }
}

export function keySet(...signers: readonly Signer[]): object {
  const keys = signers.map(({ keyId, publicKey }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(publicKey, 'base64').toString('base64url'),
    kid: keyId,
    alg: 'EdDSA',
    use: 'sig',
  }))
  return { keys }
}
