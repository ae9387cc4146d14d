import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { isGenuineAgent, type SealedIdentity } from './agent-seal.ts'

const SELECT = `
  select a.id, a.platform_id as "platformId", a.owner_id as "ownerId", a.handle, a.public_key as "publicKey",
    a.created_at as "createdAt", a.seal
  from agents a where a.id = any($1::uuid[])`

/** Which of these are not who they were created as, or are no more: agents are never removed. */
export async function findAlteredAgents(db: Queryable, vault: Vault, ids: readonly Uuid[]): Promise<Uuid[]> {
  const agents = await db.query<SealedIdentity>(SELECT, [arrayLiteral(ids)])
  const genuine = new Set(agents.filter(agent => isGenuineAgent(vault, agent)).map(({ id }) => id))
  return ids.filter(id => !genuine.has(id))
}
