import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { type EventContent, type EventKey, eventMacText } from '../../../operations/event.ts'

/** An event as its row has it. */
export interface RecordedEvent extends EventContent {
  readonly sequence: bigint | null
  /** null: recorded before events had MACs. */
  readonly seal: Buffer | null
}

// The MAC covers the event's subject, and a subject's platform never changes: so no platform gets another's event.
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

/** Whether the service wrote the row. */
export function isGenuineEvent(vault: Vault, event: RecordedEvent): boolean {
  const text = macTextOf(event)
  return event.seal !== null && text !== null && sameHash(vault.mac(text), event.seal)
}

/** null: an edited row may have no canonical form, for example an infinite number or timestamp. */
function macTextOf(event: EventContent): string | null {
  try {
    return eventMacText(event)
  } catch {
    return null
  }
}

/** `WebhookBody`. `jsonb` has a fixed order of an object's fields, so the bytes are always the same. */
export function bodyOf({ id, name, createdAt, sequence, data }: RecordedEvent): string {
  return JSON.stringify({
    id: formatId('evt', id),
    event: name,
    type: name,
    timestamp: createdAt.toISOString(),
    sequence: sequence === null ? null : Number(sequence),
    data,
  })
}
