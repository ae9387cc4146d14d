import {
  type Approval,
  getAgentOverview,
  getApprovalDetails,
  getEscrowDetails,
  getFirstSteps,
  listAgentSummaries,
  MAX_ALLOWANCES,
  RECENT_LINES,
  type ResponseOf,
} from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { selectDecidingVersions } from '../../limits/index.ts'
import {
  countAgents,
  countOwners,
  listPasskeys,
  type PolicySettingsContext,
  passkeyRecords,
  requireAccess,
  requireGenuineAgent,
  selectNamed,
  showAgentPolicy,
} from '../../parties/index.ts'
import { namedAllowance } from '../allowances/allowance.ts'
import { findAllowances } from '../allowances/routes.ts'
import { approvalRecord } from '../approvals/approval-record.ts'
import { requireApproval, shownFacts } from '../approvals/find-approvals.ts'
import { openPaidBefore } from '../approvals/paid-before.ts'
import { figuresOf, selectWallet } from '../balance.ts'
import { escrowRecord } from '../escrow/escrow-record.ts'
import { requireEscrow } from '../escrow/find-escrow.ts'
import { readStatementOf } from '../statements/read-statement.ts'
import { readAgentSummaries } from './agent-summaries.ts'
import { readExposure } from './exposure.ts'
import { isAnyFunded, selectFirstPayment } from './first-payment.ts'
import { serveSpending } from './spending-routes.ts'

const EVERY_ALLOWANCE = { limit: MAX_ALLOWANCES, fetch: MAX_ALLOWANCES, offset: 0, before: null }

/** What a page of the console shows, in one response. */
export function servePageData(serve: Serve, context: PolicySettingsContext): void {
  const { database, ledger, agents } = context
  const forRecords = { database, ledger, agents, paidBefore: openPaidBefore(database) }

  serveSpending(serve, context)

  serve(listAgentSummaries, ({ caller, query, now }) => readAgentSummaries(context, caller, query, now))

  serve(getAgentOverview, async ({ caller, params, now }) => {
    const { id } = await requireAccess(database, caller, params.agent_id)
    const [wallet, policy, [exposure], allowances, { transactions }] = await Promise.all([
      selectWallet(database, id),
      showAgentPolicy(context, caller, params.agent_id, undefined),
      readExposure(database, [id], now),
      caller.kind === 'owner' ? findAllowances(database, { agentIds: [id], now }, EVERY_ALLOWANCE) : null,
      readStatementOf({ database }, [id], { limit: RECENT_LINES }),
    ])
    assert(wallet !== null && exposure !== undefined, 'every agent has a wallet')
    return {
      balance: figuresOf(wallet),
      policy,
      exposure: { as_of: now.toISOString(), ...exposure.figures },
      allowances: allowances?.rows.map(row => namedAllowance(row, allowances.names)) ?? null,
      recent: transactions,
    }
  })

  serve(getApprovalDetails, async ({ caller, params, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const [shown, wallet, payee] = await Promise.all([
      shownFacts(forRecords, [view], now),
      selectWallet(database, view.agentId),
      view.payeeId === null ? null : requireGenuineAgent(context, formatId('agt', view.payeeId)),
    ])
    assert(wallet !== null, 'every agent has a wallet')
    const facts = shown(view)
    return {
      approval: approvalRecord(view, facts, now),
      payee: payee && {
        handle: payee.handle,
        kyc_status: payee.kycStatus,
        member_since: payee.createdAt.toISOString(),
      },
      available: rupees(wallet.availablePaise),
      confirmed_by: await confirmedBy(context, caller, facts.evidence, now),
    }
  })

  serve(getEscrowDetails, async ({ caller, params }) => {
    const { escrow, parties } = await requireEscrow(context, caller, params.escrow_id)
    const [versions, named] = await Promise.all([
      selectDecidingVersions(database, [escrow]),
      selectNamed(database, [...parties.keys()]),
    ])
    return { escrow: escrowRecord(escrow, versions.get(escrow.id) ?? null), agents: named }
  })

  serve(getFirstSteps, async ({ caller: { platformId } }) => {
    const [owners, counted, isFunded, payment] = await Promise.all([
      countOwners(database, { platformId, status: null, kycStatus: null, tier: null }),
      countAgents(database, {
        scope: { kind: 'platform', platformId },
        status: null,
        ownerId: null,
        handle: null,
      }),
      isAnyFunded(database, platformId),
      selectFirstPayment(database, platformId),
    ])
    return { owners, agents: counted, is_funded: isFunded, first_payment: payment }
  })
}

/** The passkey of the session's person that confirmed an approval. */
async function confirmedBy(
  context: PolicySettingsContext,
  caller: Caller,
  evidence: Approval['evidence'],
  now: Date,
): Promise<ResponseOf<typeof getApprovalDetails>['confirmed_by']> {
  if (caller.kind !== 'owner' || evidence === null) return null
  const passkeys = await listPasskeys(context, caller, now, { include: 'removed' })
  const found = passkeys.filter(({ id }) => formatId('pky', id) === evidence.passkey_id)
  const [record] = await passkeyRecords(context, found)
  return record === undefined ? null : { name: record.name, audit_id: record.audit_id }
}
