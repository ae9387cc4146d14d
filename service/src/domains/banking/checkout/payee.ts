import type { Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Payee } from './view.ts'

/** The agent that the payer funds. A deactivated agent is still shown, because the payment was started for it. */
export async function selectPayee(db: Queryable, agentId: Uuid): Promise<Payee> {
  const [row] = await db.query<Payee>(
    `select a.name as "agentName", a.handle, p.name as "platformName"
     from agents a join platforms p on p.id = a.platform_id where a.id = $1`,
    [agentId],
  )
  assert(row !== undefined, 'a funding belongs to an agent')
  return row
}
