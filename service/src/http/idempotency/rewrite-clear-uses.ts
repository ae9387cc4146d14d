import type { Database, Queryable } from '../../db/database.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { encryptResponse, keyedFingerprint, strangerName } from './idempotent-secrets.ts'

const ROWS_AT_ONCE = 500

interface ClearUse {
  readonly credential: string
  readonly key: string
  readonly fingerprint: Buffer
  readonly response: string | null
  readonly createdAt: Date
}

/**
 * Encrypts the responses that earlier releases stored in the clear for repetitions. The start waits for it, because
 * afterwards only keyed rows are looked up. Nodes that start at once share the rows.
 */
export async function rewriteClearUses(database: Database, vault: Vault): Promise<void> {
  let rewritten: number
  do {
    rewritten = await database.inTransaction(async tx => {
      const uses = await selectClear(tx)
      await Promise.all(uses.map(use => rewrite(tx, vault, use)))
      return uses.length
    })
  } while (rewritten > 0)
}

function selectClear(tx: Queryable): Promise<ClearUse[]> {
  return tx.query<ClearUse>(
    `select credential, key, fingerprint, clear_response as response, created_at as "createdAt"
     from idempotent_requests where not is_keyed limit $1 for update`,
    [ROWS_AT_ONCE],
  )
}

const STRANGER = /^public:(.+)$/

async function rewrite(tx: Queryable, vault: Vault, use: ClearUse): Promise<void> {
  const [, address] = STRANGER.exec(use.credential) ?? []
  const credential = address === undefined ? use.credential : strangerName(vault, address)
  const name = { ...use, credential }
  const response = use.response === null ? null : encryptResponse(vault, name, use.response)
  await tx.query(
    `update idempotent_requests
     set credential = $3, fingerprint = $4, response = $5, clear_response = null, is_keyed = true
     where credential = $1 and key = $2 and not is_keyed`,
    [use.credential, use.key, credential, keyedFingerprint(vault, name, use.fingerprint), response],
  )
}
