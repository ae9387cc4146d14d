import type { AdminCaller, OwnerCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { recordFacts } from '../../../operations/facts.ts'
import type { OnSessionsEnded, SessionsContext } from './context.ts'
import { endedFact } from './facts.ts'
import { deleteSessionsOfSame, selectSessionsOfSame } from './list-store.ts'
import { decryptOpenedFrom } from './opened-from.ts'
import { endedVersion } from './store.ts'

const SHOWN = 200

type Context = Pick<SessionsContext, 'database' | 'vault'>
type Person = OwnerCaller | AdminCaller

/** The open sessions of the caller's person, newest first. */
export async function listSessions({ database, vault }: Context, { sessionId }: Person, now: Date) {
  const sessions = await selectSessionsOfSame(database, vault, sessionId, { now, limit: SHOWN })
  return sessions.map(({ id, createdAt, lastUsedAt, openedFrom }) => {
    const { addressHint, agentHint } = decryptOpenedFrom(vault, id, openedFrom)
    return {
      session_id: formatId('ssn', id),
      created_at: createdAt.toISOString(),
      last_used_at: (lastUsedAt ?? createdAt).toISOString(),
      address_hint: addressHint,
      agent_hint: agentHint,
      current: id === sessionId,
    }
  })
}

/** Ends one session of the caller's person; with null all but the caller's. Returns how many. */
export function endSessions(
  { database, vault, onSessionsEnded }: Context & { readonly onSessionsEnded: OnSessionsEnded },
  person: Person,
  only: Uuid | null,
  now: Date,
): Promise<number> {
  return database.inTransaction(async tx => {
    const ended = await deleteSessionsOfSame(tx, person.sessionId, only)
    if (ended.length === 0 && only !== null) {
      throw new AppError('not_found', 'You have no open session with this id')
    }
    const facts = ended.map(() => endedFact(person))
    await recordFacts(tx, vault, now, facts, ended.map(endedVersion))
    await onSessionsEnded(tx, { caller: person, sessionIds: ended, now })
    return ended.length
  })
}
