import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import { LAST_UUID, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { readerById } from '../../ledger/index.ts'
import { pagedRows } from '../../operations/due-work.ts'
import { entity, type Selected } from '../../operations/entity.ts'
import type { AppKey, ConnectedApp } from './connected-app.ts'

/** More than one batch writes in a millisecond, within which ids are in no order. */
const NEWEST_SPENT = `select e.data from audit_entries e
  where e.target = k.target and e.action = 'app.spent' order by e.id desc limit 50`

/** Connected apps, written only under the lock of the agent's account. */
export const connectedApps = entity<ConnectedApp, 'agentId' | 'id'>({
  table: 'connected_apps',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    clientId: 'client_id text',
    name: 'name text',
    scopes: 'scopes text',
    perTxPaise: 'per_tx_paise int8',
    dailyPaise: 'daily_paise int8',
    grantHash: 'grant_hash bytea',
    createdAt: 'created_at timestamptz',
    expiresAt: 'expires_at timestamptz',
    spentDay: 'spent_day int4',
    spentPaise: 'spent_paise int8',
    uses: 'uses int4',
    endedAt: 'ended_at timestamptz',
  },
  changes: ['spentDay', 'spentPaise', 'uses', 'endedAt'],
  uncovered: {
    redeemed_at: 'only distinguishes an app that was never used',
    last_used_at: 'is only shown',
  },
  recorded: {
    // How often it has spent by the newest entries, as text.
    posted: `(select array_agg(max_uses::text) from (
      select max((s.data::jsonb ->> 'uses')::int4) as max_uses from (${NEWEST_SPENT}) s) u)`,
    prefix: 'app',
    logged: ['app.ended'],
    // An older row would allow again what was spent, or what the owner has ended.
    agrees: ({ uses, endedAt }, posted, logged) =>
      uses === Number(posted?.[0] ?? 0) && (endedAt !== null) === (logged !== null),
  },
})

/** How many apps of an agent are connected. Exact: connecting and ending lock the account. */
export const openAppCounts = readerById<number>('open apps', async (tx: Queryable, agentIds, nowMs) => {
  const rows = await tx.query<{ agentId: Uuid; open: number }>(
    `select agent_id as "agentId", count(*)::int4 as open from connected_apps
     where agent_id = any($1::uuid[]) and ended_at is null and expires_at > $2 group by agent_id`,
    [arrayLiteral(agentIds), new Date(nowMs)],
  )
  return rows.map(({ agentId, open }) => [agentId, open])
})

/** An app as the owner sees it. */
export interface AppView extends ConnectedApp {
  readonly ownerId: Uuid
  readonly agentName: string
  readonly lastUsedAt: Date | null
}

const VIEW = `${connectedApps.selected}, g.owner_id as "ownerId", g.name as "agentName",
  r.last_used_at as "lastUsedAt"`

export async function selectApp(db: Queryable, id: Uuid): Promise<AppView | null> {
  const [row] = await db.query<AppView>(
    `select ${VIEW} from connected_apps r join agents g on g.id = r.agent_id where r.id = $1`,
    [id],
  )
  return row ?? null
}

/** The app of a grant, its MAC proved; null: there is none. */
export async function selectAppOfGrant(
  db: Queryable,
  vault: Vault,
  grantHash: Buffer,
): Promise<ConnectedApp | null> {
  const [row] = await db.query<Selected<ConnectedApp>>(
    `select ${connectedApps.selected} from connected_apps r where r.grant_hash = $1`,
    [grantHash],
  )
  return row === undefined ? null : connectedApps.proven(vault, row)
}

/** An app by its key, its MAC proved; null: there is none. */
export async function selectAppByKey(
  db: Queryable,
  vault: Vault,
  { agentId, id }: AppKey,
): Promise<ConnectedApp | null> {
  const [row] = await db.query<Selected<ConnectedApp>>(
    `select ${connectedApps.selected} from connected_apps r where r.agent_id = $1 and r.id = $2`,
    [agentId, id],
  )
  return row === undefined ? null : connectedApps.proven(vault, row)
}

/** The apps of these agents that may act, newest first. */
export async function selectApps(
  db: Queryable,
  { agentIds, now }: { readonly agentIds: readonly Uuid[]; readonly now: Date },
  { before, offset, fetch }: PageRequest,
): Promise<{ readonly rows: readonly AppView[]; readonly total: number }> {
  const from = 'connected_apps r join agents g on g.id = r.agent_id'
  const open = `r.agent_id = any($1::uuid[]) and r.ended_at is null and r.expires_at > $2 and g.status <> 'deactivated'`
  const [rows, [counted]] = await Promise.all([
    db.query<AppView>(
      `select ${VIEW} from ${from} where ${open} and r.id < $3 order by r.id desc offset $4 limit $5`,
      [arrayLiteral(agentIds), now, before ?? LAST_UUID, offset, fetch],
    ),
    db.query<{ total: number }>(`select count(*)::int4 as total from ${from} where ${open}`, [
      arrayLiteral(agentIds),
      now,
    ]),
  ])
  return { rows, total: counted?.total ?? 0 }
}

/** Notes that an app is used, at most once a minute. */
export async function noteAppUse(db: Queryable, { agentId, id }: AppKey, now: Date): Promise<void> {
  await db.query(
    `update connected_apps set last_used_at = $3
     where agent_id = $1 and id = $2 and (last_used_at is null or last_used_at <= $3::timestamptz - interval '1 minute')`,
    [agentId, id, now],
  )
}

/** Notes that the client exchanged the code of a grant. */
export async function noteRedeemed(db: Queryable, grantHash: Buffer, now: Date): Promise<void> {
  await db.query(`update connected_apps set redeemed_at = $2 where grant_hash = $1 and redeemed_at is null`, [
    grantHash,
    now,
  ])
}

/** Apps whose client never exchanged its code, a while after the code has expired. */
export const unredeemedApps = pagedRows<AppKey>(
  100,
  `select agent_id as "agentId", id, created_at::text as "dueAt" from connected_apps
   where redeemed_at is null and ended_at is null and created_at <= $1::timestamptz - interval '5 minutes'
     and (created_at, id) > ($2, $3)
   order by created_at, id limit $4`,
)
