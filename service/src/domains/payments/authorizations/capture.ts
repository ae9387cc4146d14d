import type { Capture } from '@batua/contract'
import { istDay } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type Paise, paise, rupees } from '../../../kernel/money.ts'
import { type Command, SYSTEM, type Transfer } from '../../../ledger/index.ts'
import { save } from '../../../operations/entity.ts'
import { agentActor } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { proveKey } from '../escrow/decide.ts'
import { type Authorization, hasEnded, remainingPaise } from './authorization.ts'
import { decideCapture, type Wanted } from './decide.ts'
import { beginClosing, CLOSER, commandOn, end, type Locked, mustClose } from './end.ts'
import { recordCaptured } from './facts.ts'
import { presentAt } from './present.ts'
import { authorizations } from './store.ts'

/** A capture as the payee requests it. */
export interface CaptureOrder {
  readonly seen: Authorization
  readonly wanted: Wanted
  readonly isFinal: boolean
  /** SHA-256 of the key that the request came with. */
  readonly keyHash: Buffer
}

/** Moves money out of the authorization to the payee, whose key is checked again under the lock. */
export function captureCommand(
  agents: AgentPolicyCache,
  { seen, wanted, isFinal, keyHash }: CaptureOrder,
): Command<Capture> {
  return commandOn(agents, { seen, mayEnd: isFinal }, locked => {
    const { batch, authorization, payee } = locked
    const unproved = proveKey(payee, keyHash)
    if (unproved !== null) return unproved
    const plan = decideCapture({ ...locked, wanted, isFinal, nowMs: batch.nowMs })
    if (plan.kind === 'refusal') return plan
    const captured =
      plan.amountPaise === 0n ? null : capture(beforeCapture(locked, isFinal), plan.amountPaise)
    const after = captured?.authorization ?? authorization
    const isOver = hasEnded(after) || locked.present.isOver
    const last =
      isFinal && !isOver ? end({ ...locked, authorization: after }, agentActor(payee.id), 'closed') : after
    return captureRecord({ ...locked, authorization: last }, captured?.payment ?? null)
  })
}

/** Writes down that the closing has begun, unless the end follows at once. */
function beforeCapture(locked: Locked, isFinal: boolean): Locked {
  if (isFinal || !mustClose(locked)) return locked
  return { ...locked, authorization: beginClosing(locked, CLOSER) }
}

function capture(
  { batch, agents, authorization }: Locked,
  amountPaise: Paise,
): { readonly authorization: Authorization; readonly payment: Transfer } {
  const { id, agentId, payeeId, reference, capturesDay, dayCaptures } = authorization
  const payment = batch.post({
    kind: 'capture',
    debit: SYSTEM.authorizations,
    credit: payeeId,
    amountPaise,
    linkedId: id,
    spentBy: agentId,
    reference,
  })
  const today = istDay(new Date(batch.nowMs))
  const captured: Authorization = {
    ...authorization,
    capturedPaise: paise(authorization.capturedPaise + amountPaise),
    lastTransferId: payment.id,
    capturesDay: today,
    dayCaptures: capturesDay === today ? dayCaptures + 1 : 1,
  }
  save(batch, authorizations, captured)
  recordCaptured(batch, agents, captured, payment)
  return { authorization: captured, payment }
}

/** The state after a capture; null: nothing moved. */
function captureRecord({ batch, authorization, payer }: Locked, payment: Transfer | null): Capture {
  return {
    authorization_id: formatId('ath', authorization.id),
    captured: rupees(authorization.capturedPaise),
    captured_now: rupees(payment?.amountPaise ?? 0n),
    payment_id: payment === null ? null : formatId('pay', payment.id),
    receipt_id: payment === null ? null : formatId('rcp', payment.id),
    remaining: rupees(remainingPaise(authorization)),
    status: presentAt(authorization, payer, batch.nowMs).status,
  }
}
