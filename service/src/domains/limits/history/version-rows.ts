import type { ActorType, PolicyLayer } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { AlteredRow, type CheckedTable, requireMac, rowMacOf, whyRefused } from '../../../db/row-mac.ts'
import { assert } from '../../../kernel/assert.ts'
import { FIRST_UUID, momentOf, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Actor } from '../../../operations/facts.ts'
import { digestOf, type EffectiveVersion, type LayerContent, type StoredLayer } from '../effective-policy.ts'

/**
 * One version of an agent's effective policy. It decides from the moment in its id on, until the next version of the
 * agent does. Its layers are stored once, by their digests.
 */
export interface VersionRow {
  readonly agentId: Uuid
  readonly id: Uuid
  readonly version: Buffer
  readonly tierLayer: Buffer
  readonly ownerLayer: Buffer | null
  readonly orgLayer: Buffer | null
  readonly agentLayer: Buffer | null
  readonly actorType: ActorType
  readonly actorId: string
}

export type StoredVersionRow = VersionRow & { readonly mac: Buffer | null }

const TABLE = 'policy_versions'

/**
 * The columns of a `StoredVersionRow`, for SQL over `policy_versions`. `prefix` distinguishes them from other rows'.
 */
export function versionColumns(alias: string, prefix = ''): string {
  const column = (name: string, as: string) => `${alias}.${name} as "${prefix}${as}"`
  return [
    column('agent_id', 'agentId'),
    column('id', 'id'),
    column('version', 'version'),
    column('tier_layer', 'tierLayer'),
    column('owner_layer', 'ownerLayer'),
    column('org_layer', 'orgLayer'),
    column('agent_layer', 'agentLayer'),
    column('actor_type', 'actorType'),
    column('actor_id', 'actorId'),
    column('mac', 'mac'),
  ].join(', ')
}

function signed(row: VersionRow, mac: Buffer | null = null) {
  const { agentId, id, version, tierLayer, ownerLayer, orgLayer, agentLayer, actorType, actorId } = row
  const values = [agentId, id, version, tierLayer, ownerLayer, orgLayer, agentLayer, actorType, actorId]
  return { table: TABLE, id: textOf({ agentId, id }), values, mac }
}

/** The primary key of a version. */
type VersionKey = Pick<VersionRow, 'agentId' | 'id'>

const FIRST_KEY: VersionKey = { agentId: FIRST_UUID, id: FIRST_UUID }

function textOf({ agentId, id }: VersionKey): string {
  return `${agentId}/${id}`
}

function keyFrom(text: string): VersionKey {
  const [agentId, id] = text.split('/')
  assert(agentId !== undefined && id !== undefined, 'a version is named by its agent and its id')
  return { agentId, id }
}

/** Throws `AlteredRow` if a version is not as the service wrote it. */
export function requireGenuineVersion(vault: Vault, row: StoredVersionRow): void {
  requireMac(vault, signed(row, row.mac))
}

/**
 * The place of the first version that is recorded in a millisecond. Earlier places are for versions read from the log.
 */
const FIRST_PLACE = 0x400
const LAST_PLACE = 0xfff

/** The id of a version from this millisecond on, behind the version before it. */
export function versionIdAt(ms: number, before: Uuid | null): Uuid {
  const beforeMs = before === null ? -1 : momentOf(before).getTime()
  assert(ms >= beforeMs, 'versions follow each other in time')
  const place = before === null || beforeMs < ms ? FIRST_PLACE : placeOf(before) + 1
  return place > LAST_PLACE ? versionId(ms + 1, FIRST_PLACE) : versionId(ms, place)
}

function placeOf(id: Uuid): number {
  return Number.parseInt(id.slice(15, 18), 16)
}

export function versionId(ms: number, place: number): Uuid {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${place.toString(16).padStart(3, '0')}-8000-000000000000`
}

/** The SQL expression of an id that is greater than those of all versions that decide at a moment, and of no other. */
export function behindVersionsAt(moment: string): string {
  return `(lpad(to_hex(floor(extract(epoch from ${moment}) * 1000)::int8), 12, '0') || '7fff8000000000000001')::uuid`
}

/** A version that begins. */
export interface NewVersion {
  readonly agentId: Uuid
  readonly id: Uuid
  readonly version: EffectiveVersion
  readonly actor: Actor
}

function rowOf({ agentId, id, version, actor }: NewVersion): VersionRow {
  const layerOf = (layer: PolicyLayer) =>
    version.layers.find(({ content }) => content.layer === layer)?.digest ?? null
  const tierLayer = layerOf('tier')
  assert(tierLayer !== null, 'every agent has a tier')
  return {
    ...{ agentId, id, version: version.digest, tierLayer },
    ...{ ownerLayer: layerOf('owner'), orgLayer: layerOf('org'), agentLayer: layerOf('agent') },
    ...{ actorType: actor.type, actorId: actor.id },
  }
}

/** Inserts versions with the layers that are not stored yet. A version that another node has inserted stays. */
export async function insertVersions(
  tx: Queryable,
  vault: Vault,
  versions: readonly NewVersion[],
): Promise<void> {
  const rows = versions.map(rowOf)
  const layers = new Map<string, StoredLayer>()
  for (const { version } of versions) {
    for (const layer of version.layers) layers.set(layer.digest.toString('hex'), layer)
  }
  // In one order, so that two transactions with the same layers do not wait for each other.
  const digests = [...layers.keys()].toSorted()
  await tx.query(
    `insert into policy_layers (digest, content)
     select decode(v.digest, 'hex'), v.content from unnest($1::text[], $2::text[]) v(digest, content)
     order by v.digest on conflict do nothing`,
    [
      arrayLiteral(digests),
      textArrayLiteral(digests.map(digest => JSON.stringify(layers.get(digest)?.content))),
    ],
  )
  const hex = (bytes: Buffer | null) => bytes?.toString('hex') ?? null
  await tx.query(
    `insert into policy_versions
       (agent_id, id, version, tier_layer, owner_layer, org_layer, agent_layer, actor_type, actor_id, mac)
     select agent_id, id, decode(version, 'hex'), decode(tier, 'hex'), decode(owner, 'hex'), decode(org, 'hex'),
       decode(agent, 'hex'), actor_type, actor_id, decode(mac, 'hex')
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::text[]) v(agent_id, id, version, tier, owner, org, agent, actor_type, actor_id, mac)
     on conflict do nothing`,
    [
      arrayLiteral(rows.map(row => row.agentId)),
      arrayLiteral(rows.map(row => row.id)),
      arrayLiteral(rows.map(row => hex(row.version))),
      arrayLiteral(rows.map(row => hex(row.tierLayer))),
      arrayLiteral(rows.map(row => hex(row.ownerLayer))),
      arrayLiteral(rows.map(row => hex(row.orgLayer))),
      arrayLiteral(rows.map(row => hex(row.agentLayer))),
      textArrayLiteral(rows.map(row => row.actorType)),
      textArrayLiteral(rows.map(row => row.actorId)),
      arrayLiteral(rows.map(row => hex(rowMacOf(vault, TABLE, signed(row).values)))),
    ],
  )
}

/** What the layers of these versions set, proven by their digests. */
export async function selectContents(
  db: Queryable,
  vault: Vault,
  rows: readonly VersionRow[],
): Promise<(row: VersionRow) => LayerContent[]> {
  const digests = new Set(rows.flatMap(row => layersIn(row).map(digest => digest.toString('hex'))))
  const stored = await db.query<{ digest: Buffer; content: string }>(
    `select l.digest, l.content from policy_layers l
     where l.digest = any(array(select decode(d, 'hex') from unnest($1::text[]) d))`,
    [arrayLiteral([...digests])],
  )
  const contents = new Map(stored.map(row => [row.digest.toString('hex'), provenContent(vault, row)]))
  return row =>
    layersIn(row).map(digest => {
      const name = digest.toString('hex')
      return contents.get(name) ?? altered(vault, name, 'is gone')
    })
}

function layersIn({ tierLayer, ownerLayer, orgLayer, agentLayer }: VersionRow): Buffer[] {
  return [tierLayer, ownerLayer, orgLayer, agentLayer].filter(digest => digest !== null)
}

function provenContent(vault: Vault, { digest, content }: { digest: Buffer; content: string }): LayerContent {
  // Written by `insertVersions`, which the digest proves.
  const parsed = JSON.parse(content) as LayerContent
  return digestOf(vault, parsed).equals(digest)
    ? parsed
    : altered(vault, digest.toString('hex'), 'has no MAC that fits')
}

function altered(vault: Vault, id: string, why: string): never {
  vault.onAltered('policy_layers', id, why)
  throw new AlteredRow('policy_layers', id, why)
}

/** The table for the check of all rows. A row is named by its agent and its id. */
export const VERSION_ROWS: CheckedTable = {
  table: TABLE,
  first: textOf(FIRST_KEY),
  async check(db, vault, after, limit) {
    const { agentId, id } = keyFrom(after)
    const rows = await db.query<StoredVersionRow>(
      `select ${versionColumns('v')} from policy_versions v
       where (v.agent_id, v.id) > ($1::uuid, $2::uuid) order by v.agent_id, v.id limit $3`,
      [agentId, id, limit],
    )
    return rows.map(row => {
      const each = signed(row, row.mac)
      return { id: each.id, why: whyRefused(vault, each) }
    })
  },
}
