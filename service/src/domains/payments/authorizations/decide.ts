import { MAX_CAPTURES_A_DAY, MAX_OPEN_AUTHORIZATIONS, MIN_CAPTURE_INR } from '@batua/contract'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { istDay } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type Paise, paise, rupees, rupeesText } from '../../../kernel/money.ts'
import type { AgentFacts } from '../../limits/index.ts'
import { decideBlocked, decideSender } from '../decide.ts'
import { type Authorization, hasEnded, remainingPaise } from './authorization.ts'
import type { Present } from './present.ts'

/** What a capture asks for: an amount in addition, or what shall be captured in all. */
export interface Wanted {
  readonly kind: 'amount' | 'total' | 'voucher'
  readonly paise: Paise
}

/** The facts that the rules of captures depend on. */
export interface CaptureFacts {
  readonly authorization: Authorization
  readonly present: Present
  readonly payer: AgentFacts
  readonly payee: AgentFacts
  readonly wanted: Wanted
  readonly isFinal: boolean
  readonly nowMs: number
}

/** What a capture moves; 0: it was captured before. */
export interface CapturePlan {
  readonly kind: 'capture'
  readonly amountPaise: Paise
}

/** The rules of captures: a repeat changes nothing, whatever has happened since. */
export function decideCapture(facts: CaptureFacts): Refusal | CapturePlan {
  const { authorization, present, payer, payee, wanted, isFinal } = facts
  const unfit = decideWay(authorization, wanted.kind)
  if (unfit !== null) return unfit
  const amountPaise = paise(
    wanted.kind === 'amount' ? wanted.paise : wanted.paise - authorization.capturedPaise,
  )
  if (amountPaise <= 0n) return { kind: 'capture', amountPaise: paise(0n) }
  const stopped = decideSender(payee.status) ?? decideBlocked(payer)
  if (stopped !== null) return stopped
  const ended = decideOpen(authorization, present)
  if (ended !== null) return ended
  if (amountPaise > remainingPaise(authorization)) return tooMuch(authorization)
  if (!isFinal && present.status === 'open' && amountPaise < MIN_CAPTURE_PAISE) return tooLittle(wanted)
  return decideCount(authorization, facts.nowMs) ?? { kind: 'capture', amountPaise }
}

const MIN_CAPTURE_PAISE = BigInt(MIN_CAPTURE_INR * 100)

/** With a voucher key only vouchers are captured, and without one none. */
export function decideWay({ voucherKey }: Authorization, kind: Wanted['kind']): Refusal | null {
  if ((kind === 'voucher') === (voucherKey !== null)) return null
  return voucherKey === null
    ? refuse('conflict', 'This authorization has no voucher_key; capture an amount or a total', {
        field: 'voucher',
      })
    : refuse('conflict', 'This authorization has a voucher_key; capture with a voucher signed by it', {
        field: kind,
      })
}

/** Whether it has not ended. */
export function decideOpen(authorization: Authorization, present: Present): Refusal | null {
  if (!hasEnded(authorization) && !present.isOver) return null
  const { id, status, capturedPaise } = authorization
  const shown = hasEnded(authorization) ? status : present.status
  return refuse('conflict', 'This authorization has ended, which is final; ask for a new one', {
    details: {
      authorization_id: formatId('ath', id),
      status: shown,
      captured: rupees(capturedPaise),
    },
  })
}

/** Whether the payee may give all of it back. */
export function decideVoid(authorization: Authorization, present: Present): Refusal | null {
  const ended = decideOpen(authorization, present)
  if (ended !== null || authorization.capturedPaise === 0n) return ended
  const { id, status, capturedPaise } = authorization
  return refuse('conflict', 'Something was captured: close the authorization, and refund the payments', {
    details: { authorization_id: formatId('ath', id), status, captured: rupees(capturedPaise) },
  })
}

/** Whether the payer may have one more open authorization. */
export function decideOpenCount(count: number): Refusal | null {
  if (count < MAX_OPEN_AUTHORIZATIONS) return null
  return refuse(
    'conflict',
    `This agent has ${count} open authorizations, and no more than ${MAX_OPEN_AUTHORIZATIONS} may be; close one`,
    { details: { open_authorizations: count, max_open_authorizations: MAX_OPEN_AUTHORIZATIONS } },
  )
}

function tooMuch(authorization: Authorization): Refusal {
  const remaining = remainingPaise(authorization)
  return refuse(
    'conflict',
    `Of this authorization ${rupeesText(remaining)} INR can still be captured; capture no more than that`,
    {
      details: {
        authorization_id: formatId('ath', authorization.id),
        status: authorization.status,
        amount: rupees(authorization.amountPaise),
        captured: rupees(authorization.capturedPaise),
        remaining: rupees(remaining),
      },
    },
  )
}

function tooLittle({ kind }: Wanted): Refusal {
  return refuse(
    'validation_error',
    `A capture is at least ${MIN_CAPTURE_INR} INR, unless it is final or the authorization is closing; collect more first`,
    { field: kind },
  )
}

function decideCount({ capturesDay, dayCaptures }: Authorization, nowMs: number): Refusal | null {
  if (capturesDay !== istDay(new Date(nowMs)) || dayCaptures < MAX_CAPTURES_A_DAY) return null
  return refuse(
    'conflict',
    `This authorization was captured ${MAX_CAPTURES_A_DAY} times today, and no more may be; capture the total tomorrow, or less often`,
    { details: { captures_today: dayCaptures, max_captures_a_day: MAX_CAPTURES_A_DAY } },
  )
}
