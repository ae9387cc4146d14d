import { type AgentStatus, eachControl, type PolicyControl } from '@batua/contract'
import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { auditedVersionOf, type MacRow, macColumns, requireGenuine } from '../../db/row-mac.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { type LedgerBatch, type Read, read, readerById } from '../../ledger/index.ts'
import {
  OPEN_POLICY,
  POLICY_COLUMNS,
  policyOfTier,
  type SpendPolicy,
  selectControls,
  selectTierLimits,
  type TierLimits,
} from './controls.ts'
import { AGENT_ROWS, OWNER_POLICY_ROWS, TIER_ROWS } from './covered-tables.ts'
import { type Ceiling, ceilingOf, type Layer, layerOf } from './layers.ts'

/** What decisions need to know about an agent. It is true for as long as the agent's account is locked. */
export interface AgentFacts {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly status: AgentStatus
  /** Of a deactivated agent: the state in which it was deactivated. Its money stays blocked as that state blocks it. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
  readonly keyHash: Buffer
  /** The general layers first. */
  readonly layers: readonly Layer[]
  readonly ceiling: Ceiling
}

/** The agent's own columns, those of its owner's policy under the prefix `o_`, and its tier's. */
interface Row extends SpendPolicy, OwnerPolicy, TierLimits, MacRow, OwnerMac, TierMac {
  owner_id: Uuid
  id: Uuid
  platform_id: Uuid
  status: AgentStatus
  held_as: AgentFacts['blockedAs']
  key_hash: Buffer
  budget_limit_paise: Paise | null
  has_owner_policy: boolean
}

type OwnerMac = { [Column in keyof MacRow as `o_${Column}`]: MacRow[Column] }
type TierMac = { [Column in keyof MacRow as `t_${Column}`]: MacRow[Column] }

type OwnerPolicy = { [Control in PolicyControl as `o_${Control}`]: SpendPolicy[Control] }

const DEFAULT_MAX_REMEMBERED = 50_000
const MAX_REMEMBERED_LIST = 32

// Lateral with a limit, so that no plan reads the policies of all owners.
const SELECT = `
  select a.id, a.platform_id, a.owner_id, a.tier, a.status, a.held_as, a.key_hash, a.budget_limit_paise, ${selectControls('a')},
    o.owner_id is not null as has_owner_policy, ${selectControls('o', 'o_')},
    t.*, ${macColumns(AGENT_ROWS, 'a')},
    o."o_macText", o."o_mac", o."o_macVersion", ${auditedVersionOf(OWNER_POLICY_ROWS, 'a.owner_id')} as "o_auditedVersion"
  from agents a
  cross join lateral (
    select ${selectTierLimits('d')},
      ${macColumns(TIER_ROWS, 'd', 't_')}
    from tier_defaults d where d.tier = a.tier limit 1) t
  left join lateral (
    select p.owner_id, ${POLICY_COLUMNS.join(', ')}, ${macColumns(OWNER_POLICY_ROWS, 'p', 'o_')} from owner_policies p where p.owner_id = a.owner_id limit 1) o on true
  where a.id = any($1::uuid[])`

const agents = readerById<AgentFacts>('agents', async (tx: Queryable, ids, _nowMs, vault: Vault) => {
  const rows = await tx.query<Row>(SELECT, [arrayLiteral(ids)])
  const facts = new Map<string, AgentFacts>()
  for (const row of rows) {
    proveRows(vault, row)
    facts.set(row.id, factsFromRow(row))
  }
  return facts
})

/** Proves the rows of the agent, of its owner's policy and of its tier by their MACs. */
function proveRows(vault: Vault, row: Row): void {
  requireGenuine(vault, AGENT_ROWS, row.id, row)
  requireGenuine(vault, TIER_ROWS, row.tier, {
    macText: row.t_macText,
    mac: row.t_mac,
    macVersion: row.t_macVersion,
    auditedVersion: row.t_auditedVersion,
  })
  if (!row.has_owner_policy && row.o_auditedVersion === null) return
  requireGenuine(vault, OWNER_POLICY_ROWS, row.owner_id, {
    macText: row.o_macText,
    mac: row.o_mac,
    macVersion: row.o_macVersion,
    auditedVersion: row.o_auditedVersion,
  })
}

/** Facts of agents for decisions under their accounts' locks. */
export interface AgentPolicyCache {
  /** The reads needed because this process has not cached the agent's present version. */
  reads(batch: LedgerBatch, ids: readonly Uuid[]): Read[]
  /** The agent at its present version, after the reads of `needs`; undefined: there is no such agent. */
  facts(batch: LedgerBatch, id: Uuid): AgentFacts | undefined
}

/**
 * Caches agents by the version that their locked account names. Each process reads a version at most once. The next
 * decision sees a change, because every change raises the version.
 */
export function openAgentPolicyCache(maxRemembered = DEFAULT_MAX_REMEMBERED): AgentPolicyCache {
  const known = boundedMap<Uuid, { readonly version: number; readonly facts: AgentFacts }>(maxRemembered)

  function remember(version: number, facts: AgentFacts): void {
    if (known.get(facts.id)?.version === version || payeeListLength(facts) > MAX_REMEMBERED_LIST) return
    known.set(facts.id, { version, facts })
  }

  return {
    reads(batch, ids) {
      const unknown: Read[] = []
      for (const id of ids) {
        const account = batch.account(id)
        const entry = known.get(id)
        if (account === undefined) continue
        // Stored in the ledger batch as well, because the cache may evict it before the batch ends.
        if (entry?.version === account.agentVersion) batch.set(agents, id, entry.facts)
        else unknown.push(read(agents, id))
      }
      return unknown
    },
    facts(batch, id) {
      const account = batch.account(id)
      const facts = batch.read(agents, id)
      if (account !== undefined && facts !== undefined) remember(account.agentVersion, facts)
      return facts
    },
  }
}

/** How many agents the payee lists name. Callers decide how much memory lists take, so long lists are not cached. */
function payeeListLength({ layers }: AgentFacts): number {
  let count = 0
  for (const { allowedPayees, blockedPayees } of layers) {
    count += (allowedPayees?.size ?? 0) + (blockedPayees?.size ?? 0)
  }
  return count
}

function factsFromRow(row: Row): AgentFacts {
  const layers = layersOf(row)
  return {
    id: row.id,
    platformId: row.platform_id,
    ownerId: row.owner_id,
    status: row.status,
    blockedAs: row.held_as,
    keyHash: row.key_hash,
    layers,
    ceiling: ceilingOf(layers),
  }
}

/** The general layers first. */
function layersOf(row: Row): Layer[] {
  const layers = [layerOf('tier', policyOfTier(row))]
  if (row.has_owner_policy) {
    layers.push(
      layerOf(
        'owner',
        eachControl<SpendPolicy>(control => row[`o_${control}`]),
      ),
    )
  }
  if (row.budget_limit_paise !== null) {
    layers.push(layerOf('org', { ...OPEN_POLICY, spend_limit_monthly: row.budget_limit_paise }))
  }
  layers.push(layerOf('agent', row))
  return layers
}
