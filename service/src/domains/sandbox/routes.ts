import {
  advanceClock as advanceClockRoute,
  completeSandboxPayment,
  getSandboxMessages,
  getSandboxOtp,
} from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { AppError } from '../../kernel/app-error.ts'
import { actorOf } from '../../operations/facts.ts'
import { orderIdOf, sessionIdOf, wireStatus } from '../banking/index.ts'
import { normalisePhone } from '../parties/index.ts'
import { advanceClock } from './clock.ts'
import type { SandboxContext, SandboxMode } from './context.ts'
import { simulateOutcome } from './simulate-outcome.ts'

/** These routes simulate the checkout page, which has no rate limit either: tests call faster than people do. */
const NOT_RATE_LIMITED = { uncounted: true }

export function serveSandbox(serve: Serve, context: SandboxMode): void {
  serve(
    getSandboxOtp,
    async call => {
      const phone = normalisePhone(call.params.phone)
      const code = phone === null ? null : await context.lastOtp(phone)
      if (code === null)
        throw new AppError(
          'not_found',
          'No code was sent to this phone; ask for one with POST /v1/auth/send-otp',
        )
      return { code }
    },
    NOT_RATE_LIMITED,
  )

  serve(
    getSandboxMessages,
    async call => {
      const phone = normalisePhone(call.params.phone)
      const received = phone === null ? [] : await context.receivedMessages(phone)
      return { messages: received.map(({ text, sentAt }) => ({ text, sent_at: sentAt.toISOString() })) }
    },
    NOT_RATE_LIMITED,
  )

  serve(
    advanceClockRoute,
    async call => {
      const now = await advanceClock(context, actorOf(call.caller), call.body.advance_seconds)
      return { now: now.toISOString() }
    },
    NOT_RATE_LIMITED,
  )
}

/** Payment sessions whose outcome a request sets. They exist where the gateway is the sandbox's own. */
export function serveSimulation(serve: Serve, context: SandboxContext): void {
  serve(
    completeSandboxPayment,
    async call => {
      const { outcome, method } = call.body
      const funding = await simulateOutcome(context, call.params.payment_session_id, outcome, method)
      return {
        payment_session_id: sessionIdOf(funding),
        funding_id: orderIdOf(funding),
        status: wireStatus(funding.status),
      }
    },
    NOT_RATE_LIMITED,
  )
}
