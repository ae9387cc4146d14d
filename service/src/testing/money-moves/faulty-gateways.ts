import type { BankVerifier } from '../../gateways/bank-verifier.ts'
import type { PaymentGateway } from '../../gateways/payment-gateway.ts'
import type { PayoutProvider } from '../../gateways/payout-provider.ts'
import type { FaultyConnection } from './faulty-connection.ts'
import type { RequestLog } from './request-log.ts'

/** The payment gateway, over one node's faulty connection. */
export function gatewayOver(
  gateway: PaymentGateway,
  connection: FaultyConnection,
  requestLog: RequestLog,
): PaymentGateway {
  return {
    name: gateway.name,
    capabilities: gateway.capabilities,
    createOrder(order) {
      requestLog.sent('order', order.orderId, String(order.amountPaise))
      return connection.call('create order', true, () => gateway.createOrder(order))
    },
    startUpi: (key, request) => connection.call('start upi', true, () => gateway.startUpi(key, request)),
    getOrder: key => connection.call('get order', false, () => gateway.getOrder(key)),
    cancelOrder: key => connection.call('cancel order', true, () => gateway.cancelOrder(key)),
    refund(key, refund) {
      const { refundId, gatewayPaymentId, amountPaise } = refund
      requestLog.sent('refund', refundId, `${gatewayPaymentId} ${amountPaise}`)
      return connection.call('refund', true, () => gateway.refund(key, refund))
    },
    async getRefund(key, refundId) {
      const response = await connection.call('get refund', false, () => gateway.getRefund(key, refundId))
      if (response.kind === 'value' && response.value === null) requestLog.foundUnknown('refund', refundId)
      return response
    },
    listRecords: (from, to, cursor) =>
      connection.call('list records', false, () => gateway.listRecords(from, to, cursor)),
    parseWebhook: (rawBody, headers) => gateway.parseWebhook(rawBody, headers),
  }
}

/** The provider of payouts, over one node's faulty connection. */
export function payoutsOver(
  provider: PayoutProvider,
  connection: FaultyConnection,
  requestLog: RequestLog,
): PayoutProvider {
  return {
    name: provider.name,
    ensureBeneficiary: beneficiary =>
      connection.call('ensure beneficiary', true, () => provider.ensureBeneficiary(beneficiary)),
    send(payout) {
      const { transferId, beneficiaryId, amountPaise } = payout
      requestLog.sent('payout', transferId, `${beneficiaryId} ${amountPaise}`)
      return connection.call('send payout', true, () => provider.send(payout))
    },
    async get(transferId) {
      const response = await connection.call('get payout', false, () => provider.get(transferId))
      if (response.kind === 'value' && response.value === null) requestLog.foundUnknown('payout', transferId)
      return response
    },
    parseWebhook: (rawBody, headers) => provider.parseWebhook(rawBody, headers),
  }
}

/** The bank verifier, over one node's faulty connection. */
export function verifierOver(verifier: BankVerifier, connection: FaultyConnection): BankVerifier {
  return {
    name: verifier.name,
    verifyAccount: claim => connection.call('verify account', true, () => verifier.verifyAccount(claim)),
    checkAgain: (reference, claim) =>
      connection.call('check again', false, () => verifier.checkAgain(reference, claim)),
  }
}
