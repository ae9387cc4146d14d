import { timeText } from '../../../kernel/clock.ts'
import { typeidSuffix } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { Transfer } from '../../../ledger/index.ts'
import { receivedEventOf } from '../../../operations/payment-fact.ts'

/**
 * `WebhookBody` of a payment for its payer's platform, with the data of `AgentPaymentSent`. It concatenates strings, because
 * every payment has two of these: building an object and serializing it takes twice as long.
 */
export function sentBody(payment: Transfer): string {
  const suffix = typeidSuffix(payment.id)
  return (
    `{"id":"evt_${suffix}","event":"agent.payment.sent","type":"agent.payment.sent",` +
    `"timestamp":"${timeText(payment.postedAt)}","sequence":${payment.debitSequence},` +
    `"data":{"agent_id":"agt_${typeidSuffix(payment.debitAccount)}","payment_id":"pay_${suffix}",` +
    `"to":"agt_${typeidSuffix(payment.creditAccount)}","amount":${rupees(payment.amountPaise)},` +
    `"fee":${rupees(payment.feePaise)},"reference":${textOrNull(payment.reference)}}}`
  )
}

/** The same for its payee's platform, with the data of `AgentPaymentReceived`. */
export function receivedBody(payment: Transfer): string {
  return (
    `{"id":"evt_${typeidSuffix(receivedEventOf(payment.id))}","event":"agent.payment.received",` +
    `"type":"agent.payment.received","timestamp":"${timeText(payment.postedAt)}",` +
    `"sequence":${payment.creditSequence},` +
    `"data":{"agent_id":"agt_${typeidSuffix(payment.creditAccount)}",` +
    `"payment_id":"pay_${typeidSuffix(payment.id)}","from":"agt_${typeidSuffix(payment.debitAccount)}",` +
    `"amount":${rupees(payment.amountPaise)},"reference":${textOrNull(payment.reference)}}}`
  )
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text)
}
