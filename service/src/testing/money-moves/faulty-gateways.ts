import type { BankVerifier } from '../../gateways/bank-verifier.ts'
import type { PaymentGateway } from '../../gateways/payment-gateway.ts'
import type { PayoutProvider } from '../../gateways/payout-provider.ts'
import type { Line } from './faulty-line.ts'
import type { RequestDiary } from './request-diary.ts'

/** The payment gateway, over one node's faulty line. */
export function overLine(gateway: PaymentGateway, line: Line, diary: RequestDiary): PaymentGateway {
  return {
    name: gateway.name,
    capabilities: gateway.capabilities,
    createOrder(order) {
      diary.sent('order', order.orderId, String(order.amountPaise))
      return line.call('create order', true, () => gateway.createOrder(order))
    },
    startUpi: (key, request) => line.call('start upi', true, () => gateway.startUpi(key, request)),
    getOrder: key => line.call('get order', false, () => gateway.getOrder(key)),
    cancelOrder: key => line.call('cancel order', true, () => gateway.cancelOrder(key)),
    refund(key, refund) {
      const { refundId, gatewayPaymentId, amountPaise } = refund
      diary.sent('refund', refundId, `${gatewayPaymentId} ${amountPaise}`)
      return line.call('refund', true, () => gateway.refund(key, refund))
    },
    async getRefund(key, refundId) {
      const answer = await line.call('get refund', false, () => gateway.getRefund(key, refundId))
      if (answer.kind === 'value' && answer.value === null) diary.heardUnknown('refund', refundId)
      return answer
    },
    listRecords: (from, to, cursor) =>
      line.call('list records', false, () => gateway.listRecords(from, to, cursor)),
    parseWebhook: (rawBody, headers) => gateway.parseWebhook(rawBody, headers),
  }
}

/** The provider of payouts, over one node's faulty line. */
export function payoutsOverLine(provider: PayoutProvider, line: Line, diary: RequestDiary): PayoutProvider {
  return {
    name: provider.name,
    ensureBeneficiary: beneficiary =>
      line.call('ensure beneficiary', true, () => provider.ensureBeneficiary(beneficiary)),
    send(payout) {
      const { transferId, beneficiaryId, amountPaise } = payout
      diary.sent('payout', transferId, `${beneficiaryId} ${amountPaise}`)
      return line.call('send payout', true, () => provider.send(payout))
    },
    async get(transferId) {
      const answer = await line.call('get payout', false, () => provider.get(transferId))
      if (answer.kind === 'value' && answer.value === null) diary.heardUnknown('payout', transferId)
      return answer
    },
    parseWebhook: (rawBody, headers) => provider.parseWebhook(rawBody, headers),
  }
}

/** The bank verifier, over one node's faulty line. */
export function verifierOverLine(verifier: BankVerifier, line: Line): BankVerifier {
  return {
    name: verifier.name,
    verifyAccount: claim => line.call('verify account', true, () => verifier.verifyAccount(claim)),
    checkAgain: (reference, claim) =>
      line.call('check again', false, () => verifier.checkAgain(reference, claim)),
  }
}
