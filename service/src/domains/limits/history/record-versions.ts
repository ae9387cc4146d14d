import type { Queryable } from '../../../db/database.ts'
import { momentOf, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { lockForChange, type Services, selectLastSpent, updatePolicySince } from '../../../ledger/index.ts'
import { type Actor, service } from '../../../operations/facts.ts'
import { effectiveVersion } from '../effective-policy.ts'
import { type PresentPolicy, selectPresentPolicies } from '../present-policies.ts'
import { type PastPolicy, pastPolicies, readPolicyLog } from './from-log.ts'
import { insertVersions, type NewVersion, versionIdAt } from './version-rows.ts'

/** Who changed the policies; null: it is found in the log. */
export interface VersionRecording {
  readonly vault: Vault
  readonly now: Date
  readonly actor: Actor | null
}

/** The actor of a version that the history began with and that no entry of the log explains. */
export const HISTORY_BEGINS = service('policy history')

/**
 * Ends every change that may concern the effective policies of these agents, in its transaction and after its facts
 * were recorded. Each agent whose policy is another one than its newest version gets a new version. The caller holds
 * the locks of the accounts. The version decides from now on, but not at the time of a payment that the version before
 * it decided; and no later payment is posted before it, because its time is stored with the account.
 */
export async function recordPolicyVersions(
  tx: Queryable,
  ids: readonly Uuid[],
  { vault, now, actor }: VersionRecording,
): Promise<void> {
  if (ids.length === 0) return
  const present = await selectPresentPolicies(tx, vault, ids)
  const changed = new Map(
    [...present].filter(([, { version, newest }]) => newest?.version.equals(version.digest) !== true),
  )
  if (changed.size === 0) return
  const decided = await selectLastSpent(tx, [...changed.keys()])
  const begins = await beginnings(tx, vault, changed, now)
  const versions: NewVersion[] = []
  for (const [agentId, policy] of changed) {
    const { version, newest } = policy
    const begun = begins.get(agentId)
    versions.push(...(begun?.versions ?? []))
    const last = begun?.versions.at(-1)
    if (last?.version.digest.equals(version.digest) === true) continue
    const before = last?.id ?? newest?.id ?? null
    const beforeMs = before === null ? 0 : momentOf(before).getTime()
    const ms = Math.max(now.getTime(), beforeMs, (decided.get(agentId) ?? -1) + 1)
    const by = actor ?? begun?.actor ?? (await actorInLog(tx, policy))
    versions.push({ agentId, id: versionIdAt(ms, before), version, actor: by })
  }
  await insertVersions(tx, vault, versions)
  await updatePolicySince(
    tx,
    new Map(versions.map(({ agentId, id: from }) => [agentId, momentOf(from).getTime()])),
  )
}

/** The versions of an agent before a transaction, and who made the change that led to the present policy. */
interface Beginning {
  readonly versions: readonly NewVersion[]
  readonly actor: Actor | null
}

/**
 * The versions that agents without a history had before this transaction, according to the log. They were created by a
 * release that recorded no versions.
 */
async function beginnings(
  tx: Queryable,
  vault: Vault,
  changed: ReadonlyMap<Uuid, PresentPolicy>,
  now: Date,
): Promise<Map<Uuid, Beginning>> {
  const old = new Map([...changed].filter(([, { newest, createdAt }]) => newest === null && createdAt < now))
  if (old.size === 0) return new Map()
  const log = await readPolicyLog(tx, old)
  return new Map(
    [...old].map(([id, policy]) => [id, beginning(vault, id, pastPolicies(id, policy, log), now)]),
  )
}

/** One version for each change among these policies. The change in progress is not included. */
function beginning(vault: Vault, agentId: Uuid, past: readonly PastPolicy[], now: Date): Beginning {
  const versions: NewVersion[] = []
  let last: { readonly digest: Buffer; readonly actor: Actor | null } | null = null
  for (const { fromMs, parts, actor } of past) {
    const version = effectiveVersion(vault, parts)
    if (last?.digest.equals(version.digest) === true) continue
    last = { digest: version.digest, actor }
    if (fromMs >= now.getTime()) continue
    const before = versions.at(-1)?.id ?? null
    const ms = Math.max(fromMs, before === null ? 0 : momentOf(before).getTime())
    versions.push({ agentId, id: versionIdAt(ms, before), version, actor: actor ?? HISTORY_BEGINS })
  }
  return { versions, actor: last?.actor ?? null }
}

/** Begins a transaction of its own, for a policy that nobody has recorded yet. */
export async function recordPresentPolicy({ database, clock, vault }: Services, id: Uuid): Promise<void> {
  await recordUnderLocks({ database, clock, vault }, [id], [id])
}

const AGENTS_AT_ONCE = 50

/**
 * Begins the histories of agents that have none, in the order of their ids behind `after`. Returns the last agent that
 * was checked; null: there are no more.
 */
export async function beginHistories(services: Services, after: Uuid): Promise<Uuid | null> {
  const agents = await services.database.query<{ id: Uuid; begun: boolean }>(
    `select a.id, exists (select from policy_versions v where v.agent_id = a.id) as begun
     from agents a where a.id > $1 order by a.id limit $2`,
    [after, AGENTS_AT_ONCE],
  )
  const without = agents.filter(({ begun }) => !begun).map(({ id }) => id)
  if (without.length > 0) await recordUnderLocks(services, without, [])
  return agents.at(-1)?.id ?? null
}

async function recordUnderLocks(
  { database, clock, vault }: Services,
  ids: readonly Uuid[],
  turns: readonly Uuid[],
): Promise<void> {
  await database.inTransaction(
    async tx => {
      await lockForChange(tx, ids)
      await recordPolicyVersions(tx, ids, { vault, now: clock.now(), actor: null })
    },
    { turns },
  )
}

/**
 * Who changed the policy of an owner or a tier before it was announced to this agent. Changes of one agent alone record
 * their version themselves.
 */
async function actorInLog(tx: Queryable, { ownerId, version, newest, parts }: PresentPolicy): Promise<Actor> {
  if (newest === null) return HISTORY_BEGINS
  const owner = version.layers.find(({ content }) => content.layer === 'owner')?.digest ?? null
  const isSame = owner === null ? newest.ownerLayer === null : newest.ownerLayer?.equals(owner) === true
  return isSame
    ? actorOfRow(tx, `tier_defaults/${parts.tier.tier}`)
    : actorOfRow(tx, `owner_policies/${ownerId}`)
}

/** Who last changed the row with this name, as the log says. The index `audit_entries_rows` serves it. */
export async function actorOfRow(tx: Queryable, row: string): Promise<Actor> {
  const [found] = await tx.query<Actor>(
    `select e.actor_type as type, e.actor_id as id from audit_entries e
     where e.data::jsonb ->> 'row' = $1 and e.data like '%"row_version":%'
     order by (e.data::jsonb ->> 'row_version')::int4 desc limit 1`,
    [row],
  )
  return found ?? HISTORY_BEGINS
}
