import { setImmediate as afterThis } from 'node:timers/promises'
import type { OtpMessage, OtpSender } from '../../../gateways/message-senders.ts'
import type { Logger } from '../../../kernel/logger.ts'

/** Sends one-time codes after the response, so that the response time does not reveal whether a phone is known. */
export interface OtpDispatcher {
  /** `isKnown` decides after the response whether the message is sent. */
  dispatch(message: OtpMessage, isKnown: () => Promise<boolean>): void
  /** Resolves when all messages dispatched so far have been sent or have failed. */
  drained(): Promise<void>
}

/** The most messages in flight. More mean a flood or a sender that hangs, so further messages are dropped. */
const MAX_ON_THE_WAY = 1_000

export function openOtpDispatcher(sender: OtpSender, logger: Logger): OtpDispatcher {
  const inFlight = new Set<Promise<void>>()

  async function deliver(message: OtpMessage, isKnown: () => Promise<boolean>): Promise<void> {
    try {
      // The response is written first; not even the start of a message may delay it.
      await afterThis()
      if (!(await isKnown())) return
      const response = await sender.send(message)
      if (response.kind === 'value') return
      logger.error({ sender: sender.name, outcome: response.kind, reason: response.message }, FAILED)
    } catch (error) {
      logger.error({ sender: sender.name, err: error }, FAILED)
    }
  }

  return {
    dispatch(message, isKnown) {
      if (inFlight.size >= MAX_ON_THE_WAY) {
        logger.error(
          { sender: sender.name, on_the_way: inFlight.size },
          'one-time code dropped: too many messages in flight',
        )
        return
      }
      const sending = deliver(message, isKnown).finally(() => inFlight.delete(sending))
      inFlight.add(sending)
    },
    async drained() {
      await Promise.all(inFlight)
    },
  }
}

const FAILED = 'one-time code not sent'
