import type { Agent as AgentRecord } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { formatId } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { pendingRecord, policyRecord } from '../../limits/index.ts'
import { vendorId } from '../owners/personal-data.ts'
import type { Agent } from './store.ts'

/** An agent as the caller may see it. An agent never sees the vendor id, which contains the owner's PAN. */
export function agentRecord(vault: Vault, caller: Caller, agent: Agent): AgentRecord {
  if (caller.kind === 'agent' || caller.kind === 'public') return recordWithoutVendor(agent)
  return recordWithVendor(vault, agent)
}

export function recordWithVendor(vault: Vault, agent: Agent) {
  const record = recordWithoutVendor(agent)
  return { ...record, vendor_id: vendorId(vault, agent, record.agent_id) }
}

function recordWithoutVendor(agent: Agent) {
  return {
    agent_id: formatId('agt', agent.id),
    handle: agent.handle,
    name: agent.name,
    owner_id: formatId('own', agent.ownerId),
    platform_id: formatId('plt', agent.platformId),
    wallet_id: formatId('wlt', agent.id),
    status: agent.status,
    held_as: agent.blockedAs,
    tier: agent.tier,
    origins: [...agent.origins],
    policy: policyRecord(agent.policy),
    pending_policy: pendingRecord(agent.pending),
    key_last4: agent.keyLast4,
    created_at: agent.createdAt.toISOString(),
  }
}
