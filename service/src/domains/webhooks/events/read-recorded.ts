import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { type EventContent, type EventKey, eventMacText } from '../../../operations/event.ts'

interface RecordedEvent extends EventContent {
  readonly sequence: bigint | null
  /** null: from before events had one. */
  readonly seal: Buffer | null
}

// Whom an event is about is sealed, and whose that is was never changed: so no event is given to another platform.
const SELECT = `
  select e.id, e.name, coalesce(e.agent_id, e.owner_id, e.platform_id) as "subjectId", e.data,
    e.created_at as "createdAt", e.sequence, e.seal
  from events e
  where e.id = any($1::uuid[]) and e.platform_id = $2 and $2 = case
    when e.agent_id is not null then (select a.platform_id from agents a where a.id = e.agent_id)
    when e.owner_id is not null then (select o.platform_id from owners o where o.id = e.owner_id)
    else e.platform_id end`

/** Adds the bodies of a platform's events that have rows of their own. */
export async function readRecorded(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  keys: readonly EventKey[],
  bodies: Map<Uuid, string>,
): Promise<void> {
  if (keys.length === 0) return
  const names = new Map<Uuid, EventName>(keys.map(({ id, name }) => [id, name]))
  const ids = arrayLiteral([...names.keys()])
  for (const event of await db.query<RecordedEvent>(SELECT, [ids, platformId])) {
    if (names.get(event.id) === event.name && isGenuineEvent(vault, event)) {
      bodies.set(event.id, bodyOf(event))
    }
  }
}

function isGenuineEvent(vault: Vault, event: RecordedEvent): boolean {
  const text = macTextOf(event)
  return event.seal !== null && text !== null && sameHash(vault.mac(text), event.seal)
}

/** Somebody may write what has no canonical form, a number beyond all numbers or a moment that is none: never the service. */
function macTextOf(event: EventContent): string | null {
  try {
    return eventMacText(event)
  } catch {
    return null
  }
}

/** `WebhookBody`. The database keeps the order of an object's fields by a rule of its own, so these bytes never differ. */
function bodyOf({ id, name, createdAt, sequence, data }: RecordedEvent): string {
  return JSON.stringify({
    id: formatId('evt', id),
    event: name,
    type: name,
    timestamp: createdAt.toISOString(),
    sequence: sequence === null ? null : Number(sequence),
    data,
  })
}
