import { createECDH, createPrivateKey } from 'node:crypto'
import type { Database, Queryable } from '../../db/database.ts'
import type { PushKey } from '../../gateways/web-push.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/secrets.ts'

interface Context {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
}

interface StoredKey {
  readonly publicKey: string
  /** Encrypted; base64url of 32 bytes. */
  readonly privateKey: Buffer
}

/**
 * The key that push services know this service by. The first start makes it; nodes that start at the same time use the
 * one that was stored. Browsers subscribe for this key alone, so it is never replaced.
 */
export async function openPushKey({ database, clock, vault }: Context): Promise<PushKey> {
  const stored = (await selectKey(database)) ?? (await storeNewKey(database, vault, clock.now()))
  return openKey(vault, stored)
}

async function selectKey(db: Queryable): Promise<StoredKey | null> {
  const [row] = await db.query<StoredKey>(
    `select public_key as "publicKey", private_key as "privateKey" from push_keys where id = 1`,
    [],
  )
  return row ?? null
}

async function storeNewKey(db: Queryable, vault: Vault, now: Date): Promise<StoredKey> {
  const made = createECDH('prime256v1')
  const publicKey = made.generateKeys('base64url')
  const privateKey = Buffer.alloc(PRIVATE_BYTES)
  const bytes = made.getPrivateKey()
  bytes.copy(privateKey, PRIVATE_BYTES - bytes.length)
  await db.query(
    `insert into push_keys (id, public_key, private_key, created_at) values (1, $1, $2, $3) on conflict do nothing`,
    [publicKey, vault.encrypt(privateKey.toString('base64url'), contextOf(publicKey)), now],
  )
  const stored = await selectKey(db)
  if (stored === null) throw new Error('The push key was deleted while the service started')
  return stored
}

/** A leading zero byte is not part of what the library returns. */
const PRIVATE_BYTES = 32
const COORDINATE_BYTES = 32

/** The encryption authenticates the public half: a key whose half was changed does not open. */
const contextOf = (publicKey: string) => `push_keys.private_key ${publicKey}`

function openKey(vault: Vault, { publicKey, privateKey }: StoredKey): PushKey {
  const point = Buffer.from(publicKey, 'base64url')
  const key = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 1 + COORDINATE_BYTES).toString('base64url'),
    y: point.subarray(1 + COORDINATE_BYTES).toString('base64url'),
    d: openPrivate(vault, { publicKey, privateKey }),
  }
  return { publicKey, privateKey: createPrivateKey({ key, format: 'jwk' }) }
}

function openPrivate(vault: Vault, { publicKey, privateKey }: StoredKey): string {
  try {
    return vault.decrypt(privateKey, contextOf(publicKey))
  } catch {
    throw new Error(
      'MASTER_KEY is not the one that this database was made with, or the row of push_keys was changed',
    )
  }
}
