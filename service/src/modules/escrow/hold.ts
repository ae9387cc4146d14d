import type { EscrowHold } from '@batua/contract'
import type { Book, Command } from '../../ledger/index.ts'
import {
  type Approval,
  type ApprovalRequest,
  approvalIn,
  approvalNeed,
  decidePlace,
  placeNeeds,
  requestApproval,
} from '../approvals/index.ts'
import type { Actor } from '../audit/index.ts'
import type { AgentRegister, Threshold } from '../policies/index.ts'
import type { HoldIntent } from './escrow.ts'
import { escrowRecord, waitingRecord } from './escrow-record.ts'
import { prepareHold } from './prepare-hold.ts'
import { storedTerms } from './terms.ts'

/** Sets money aside, or asks the owner: everything is decided and written in one commit with its neighbours. */
export function holdCommand(agents: AgentRegister, intent: HoldIntent, actor: Actor): Command<EscrowHold> {
  const prepared = prepareHold(agents, intent, { by: 'platform', actor })
  // What an earlier decision of this very command asked: if that was committed and the answer lost, it is done.
  let asked: Approval | null = null
  return {
    ...prepared,
    steps: [
      ...prepared.steps,
      book => {
        const needs = placeNeeds(agents.facts(book, intent.payerId), intent.amountPaise)
        return asked === null ? needs : [...needs, approvalNeed(asked)]
      },
    ],
    decide(book) {
      const known = asked === null ? undefined : approvalIn(book, asked)
      if (known !== undefined) return waitingRecord(known, intent)
      const plan = prepared.decide(book)
      if (plan.kind === 'refusal') return plan
      if (plan.kind === 'hold') return escrowRecord(prepared.post(book))
      const full = decidePlace(book, intent.payerId)
      if (full !== null) return full
      asked = ask(book, intent, plan.threshold, actor)
      prepared.noteUse(book, { kind: 'approval', id: asked.id, expiresAt: asked.expiresAt })
      return waitingRecord(asked, intent)
    },
  }
}

function ask(book: Book, intent: HoldIntent, { layer }: Threshold, actor: Actor): Approval {
  const request: ApprovalRequest = {
    agentId: intent.payerId,
    kind: 'escrow_hold',
    amountPaise: intent.amountPaise,
    reference: intent.reference,
    idempotencyKey: intent.idempotencyKey,
    layer,
    ...storedTerms(intent),
  }
  return requestApproval(book, request, actor)
}
