import { setImmediate as afterThis } from 'node:timers/promises'
import type { OtpMessage, OtpSender } from '../../../gateways/otp-sender.ts'
import type { Logger } from '../../../kernel/logger.ts'

/** Messages on their way while their requests are already answered, so that no answer's time tells about a phone. */
export interface OtpDispatcher {
  /** `isKnown` decides, after the answer, whether anything is sent at all. */
  post(message: OtpMessage, isKnown: () => Promise<boolean>): void
  /** Resolves when everything posted so far has been sent or given up. */
  settled(): Promise<void>
}

/** More than this at once means a flood or a sender that hangs: what comes then is dropped. */
const MAX_ON_THE_WAY = 1_000

export function openOtpDispatcher(sender: OtpSender, logger: Logger): OtpDispatcher {
  const onTheWay = new Set<Promise<void>>()

  async function deliver(message: OtpMessage, isKnown: () => Promise<boolean>): Promise<void> {
    try {
      // The answer is written first: not even the beginning of a sending may delay it.
      await afterThis()
      if (!(await isKnown())) return
      const answer = await sender.send(message)
      if (answer.kind === 'value') return
      logger.error({ sender: sender.name, outcome: answer.kind, reason: answer.message }, FAILED)
    } catch (error) {
      logger.error({ sender: sender.name, err: error }, FAILED)
    }
  }

  return {
    post(message, isKnown) {
      if (onTheWay.size >= MAX_ON_THE_WAY) {
        logger.error({ sender: sender.name, on_the_way: onTheWay.size }, 'a one-time code was dropped')
        return
      }
      const sending = deliver(message, isKnown).finally(() => onTheWay.delete(sending))
      onTheWay.add(sending)
    },
    async settled() {
      await Promise.all(onTheWay)
    },
  }
}

const FAILED = 'a one-time code could not be sent'
