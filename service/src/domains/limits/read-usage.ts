import { type Refusal, refuse } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { ZERO_PAISE } from '../../kernel/money.ts'
import type { Command, LedgerBatch } from '../../ledger/index.ts'
import type { AgentFacts, AgentPolicyCache } from './agent-facts.ts'
import { appCap, appReads } from './app-cap.ts'
import { type LimitUsage, limitUsages, type PolicyFacts } from './limit-usage.ts'
import { factsOf, limitPhases, makeExact, planExactly, type Spend } from './limits.ts'

/** What an agent has used of its limits at one moment, exactly. */
export interface Usage {
  readonly agent: AgentFacts
  readonly facts: PolicyFacts
  /** Every limit of every layer, the general layers first. */
  readonly limits: readonly LimitUsage[]
}

/** Whose usage is read: `payeeId` null: no payee; `appId` absent: no app asks. */
export interface UsageOf {
  readonly agentId: Uuid
  readonly payeeId: Uuid | null
  readonly appId?: Uuid | undefined
}

/** Reads what an agent has used of its limits, by the reads and rules of a payment, and posts nothing. */
export function usageCommand<Reply extends object>(
  agents: AgentPolicyCache,
  of: UsageOf,
  responseOf: (batch: LedgerBatch, usage: Usage) => Reply,
): Command<Reply> {
  const { agentId, payeeId, appId } = of
  const app = appId === undefined ? null : { agentId, id: appId }
  const spendOf = (batch: LedgerBatch): Spend | null => {
    const facts = agents.facts(batch, agentId)
    const payer = batch.account(agentId)
    if (facts === undefined || payer === undefined) return null
    planExactly(payer)
    const { layers, ceiling } = facts
    return {
      layers,
      ceiling,
      payer,
      payeeId,
      amountPaise: ZERO_PAISE,
      escrowApplies: true,
      app: appCap(batch, app),
    }
  }
  return {
    accounts: [agentId],
    reads: appReads(app),
    phases: [batch => agents.reads(batch, [agentId]), ...limitPhases(spendOf)],
    decide(batch): Refusal | Reply {
      agents.requireRecorded(batch, agentId)
      const spend = spendOf(batch)
      const agent = agents.facts(batch, agentId)
      if (spend === null || agent === undefined) return refuse('not_found', 'There is no agent with this id')
      makeExact(batch, spend)
      const facts = factsOf(batch, spend)
      return responseOf(batch, { agent, facts, limits: limitUsages(facts) })
    },
  }
}
