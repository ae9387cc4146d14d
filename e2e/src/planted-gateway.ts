import { randomInt } from 'node:crypto'
import type { Json } from './fake-gateway.ts'
import { newBankAccount, newPan, newPhone } from './network.ts'

/** A gateway's data about a payer, all marked: the service must keep none of it. */
export interface Payer {
  readonly cardNumber: string
  readonly cardHolder: string
  readonly upiId: string
  readonly phone: string
  readonly email: string
  readonly name: string
  readonly bankAccount: string
  readonly pan: string
  readonly address: string
}

export function newPayer(): Payer {
  const mark = Array.from({ length: 10 }, () => String.fromCharCode(97 + randomInt(26))).join('')
  return {
    // Not the number of any card network.
    cardNumber: `0000${newBankAccount().slice(0, 12)}`,
    cardHolder: `holder ${mark}`,
    upiId: `${mark}@payerbank`,
    phone: newPhone(),
    email: `${mark}@payer.example`,
    name: `payer ${mark}`,
    bankAccount: newBankAccount(),
    pan: newPan(),
    address: `${mark} street 7`,
  }
}

/** The payment details of each method. */
function methodOf(payer: Payer, group: string): Json {
  if (group === 'upi') return { upi: { channel: 'link', upi_id: payer.upiId } }
  if (group === 'net_banking') {
    return {
      netbanking: { channel: 'link', netbanking_bank_code: 3021, netbanking_account: payer.bankAccount },
    }
  }
  return {
    card: {
      channel: 'link',
      card_number: payer.cardNumber,
      card_holder_name: payer.cardHolder,
      card_network: 'visa',
      card_type: 'credit_card',
      card_country: 'IN',
      card_bank_name: 'Example Bank',
    },
  }
}

function customerOf(payer: Payer): Json {
  return {
    customer_id: payer.pan,
    customer_name: payer.name,
    customer_email: payer.email,
    customer_phone: payer.phone,
  }
}

function errorOf(payer: Payer): Json {
  return {
    error_code: 'TRANSACTION_DECLINED',
    error_description: `declined for ${payer.upiId}, ${payer.phone}`,
    error_reason: 'auth_declined',
    error_source: 'customer',
    error_code_raw: 'ZM',
    error_description_raw: payer.cardNumber,
  }
}

function beneficiaryOf(payer: Payer): Json {
  return {
    beneficiary_name: payer.name,
    beneficiary_instrument_details: {
      bank_account_number: payer.bankAccount,
      ifsc: 'HDFC0001234',
      vpa: payer.upiId,
    },
    beneficiary_contact_details: {
      beneficiary_email: payer.email,
      beneficiary_phone: payer.phone,
      beneficiary_address: payer.address,
    },
  }
}

/** The additional fields in the responses of each API, which the service does not read. */
export function additionsOf(payer: Payer): readonly (readonly [line: string, fields: Json])[] {
  const payment = {
    payment_method: { ...methodOf(payer, 'upi'), ...methodOf(payer, 'credit_card') },
    payment_message: `paid by ${payer.name}`,
    auth_id: payer.pan,
    error_details: errorOf(payer),
  }
  const ofOrder = { customer_details: customerOf(payer), order_note: payer.address, ...payment }
  return [
    ['GET /pg/orders', { ...ofOrder, status_description: `to ${payer.bankAccount}` }],
    ['POST /pg/orders', { ...ofOrder, status_description: `to ${payer.bankAccount}` }],
    ['POST /payout', { ...beneficiaryOf(payer), status_description: `to ${payer.bankAccount}` }],
    ['GET /payout', { beneficiary_details: beneficiaryOf(payer), status_description: `to ${payer.phone}` }],
    [
      'POST /verification',
      {
        bank_account: payer.bankAccount,
        phone: payer.phone,
        pan: payer.pan,
        ifsc_details: { address: payer.address, branch: 'Main' },
      },
    ],
  ]
}

export interface Webhook {
  readonly intake: 'cashfree' | 'cashfree-payouts'
  readonly type: string
  readonly data: unknown
}

/** The subject of a webhook. */
export interface Subject {
  readonly orderId: string
  readonly paymentId: string
  readonly refundId: string
  readonly transferId: string
}

/** Every kind of webhook about one subject, with all data of the gateway. */
export function webhooksAbout(subject: Subject, payer: Payer): Webhook[] {
  const customer_details = customerOf(payer)
  const about = { subject, payer }
  const refund = refundOf(about)
  const cashfree = (type: string, data: object): Webhook => ({
    intake: 'cashfree',
    type,
    data: { ...data, customer_details },
  })
  return [
    ...['upi', 'credit_card', 'net_banking'].map(group =>
      cashfree('PAYMENT_SUCCESS_WEBHOOK', paymentOf(about, 'SUCCESS', group)),
    ),
    cashfree('PAYMENT_FAILED_WEBHOOK', paymentOf(about, 'FAILED', 'upi')),
    cashfree('PAYMENT_USER_DROPPED_WEBHOOK', paymentOf(about, 'USER_DROPPED', 'credit_card')),
    cashfree('REFUND_STATUS_WEBHOOK', { refund }),
    cashfree('AUTO_REFUND_STATUS_WEBHOOK', { auto_refund: refund }),
    cashfree('DISPUTE_CREATED', disputeOf(about, 'CHARGEBACK_CREATED')),
    cashfree('DISPUTE_UPDATED', disputeOf(about, 'CHARGEBACK_DOCS_RECEIVED')),
    cashfree('DISPUTE_CLOSED', disputeOf(about, 'CHARGEBACK_MERCHANT_WON')),
    cashfree('SETTLEMENT_SUCCESS', {
      settlement: { settlement_id: 5, utr: 'UTR5', beneficiary_account: payer.bankAccount },
    }),
    cashfree('CARD_VAULT_WEBHOOK', { card: methodOf(payer, 'card') }),
    ...['ACKNOWLEDGED', 'SUCCESS', 'FAILED', 'REVERSED'].map(status => transferOf(about, status)),
    {
      intake: 'cashfree-payouts',
      type: 'LOW_BALANCE_ALERT',
      data: { current_balance: '1.00', contact: customer_details, beneficiary: beneficiaryOf(payer) },
    },
  ]
}

interface About {
  readonly subject: Subject
  readonly payer: Payer
}

function paymentOf({ subject, payer }: About, status: string, group: string) {
  return {
    order: {
      order_id: subject.orderId,
      order_amount: 1000,
      order_currency: 'INR',
      order_tags: { note: payer.name },
    },
    payment: {
      cf_payment_id: subject.paymentId,
      payment_status: status,
      payment_amount: 1000,
      payment_currency: 'INR',
      payment_message: `by ${payer.name}`,
      payment_time: '2026-11-20T10:15:30+05:30',
      bank_reference: '426000000001',
      auth_id: payer.pan,
      payment_method: methodOf(payer, group),
      payment_group: group,
    },
    error_details: errorOf(payer),
  }
}

function refundOf({ subject, payer }: About) {
  return {
    cf_payment_id: subject.paymentId,
    cf_refund_id: `refund_${subject.paymentId}`,
    refund_id: subject.refundId,
    order_id: subject.orderId,
    refund_amount: 1000,
    refund_currency: 'INR',
    refund_status: 'SUCCESS',
    status_description: `to ${payer.upiId}`,
    refund_note: payer.name,
    refund_arn: payer.cardNumber,
  }
}

function disputeOf({ subject, payer }: About, status: string) {
  return {
    dispute: {
      dispute_id: '7',
      dispute_status: status,
      dispute_amount: 1000,
      reason_description: `${payer.name} did not pay`,
      cf_dispute_remarks: payer.cardNumber,
    },
    order_details: { order_id: subject.orderId, cf_payment_id: subject.paymentId, payment_amount: 1000 },
  }
}

function transferOf({ subject, payer }: About, status: string): Webhook {
  return {
    intake: 'cashfree-payouts',
    type: `TRANSFER_${status}`,
    data: {
      transfer_id: subject.transferId,
      cf_transfer_id: '9107199254740993012',
      status,
      status_code: status,
      status_description: `to ${payer.bankAccount}`,
      transfer_amount: 400,
      transfer_utr: 'UTR426000000001',
      beneficiary_details: beneficiaryOf(payer),
    },
  }
}

/** Bodies that no gateway should send, signed or not: personal text in place of ids, names and objects. */
export function misshapenBodies(payer: Payer): string[] {
  const { phone, upiId, email, cardNumber, bankAccount, name, pan } = payer
  const values = { phone, upiId, email, cardNumber, bankAccount, name, pan }
  const body = (type: unknown, data: unknown) => JSON.stringify({ type, data, event_time: phone })
  const wellFormed = body('PAYMENT_SUCCESS_WEBHOOK', { order: { order_id: upiId }, customer_details: values })
  return [
    '',
    phone,
    JSON.stringify(cardNumber),
    JSON.stringify([values, phone]),
    wellFormed.slice(0, -7),
    `${wellFormed}${upiId}`,
    `${'['.repeat(2_000)}${phone}`,
    JSON.stringify({ ...values, padding: cardNumber.repeat(6_000) }),
    body(email, values),
    body({ [email]: phone }, values),
    body('PAYMENT_SUCCESS_WEBHOOK', [values]),
    body('PAYMENT_SUCCESS_WEBHOOK', upiId),
    body('PAYMENT_SUCCESS_WEBHOOK', { order: { order_id: phone }, payment: { cf_payment_id: cardNumber } }),
    body('PAYMENT_SUCCESS_WEBHOOK', { order: { order_id: [phone] }, payment: { cf_payment_id: { upiId } } }),
    body('REFUND_STATUS_WEBHOOK', { refund: { refund_id: upiId, refund_status: email } }),
    body('AUTO_REFUND_STATUS_WEBHOOK', {
      auto_refund: { order_id: phone, cf_refund_id: pan, refund_status: name },
    }),
    body('DISPUTE_CREATED', {
      dispute: { dispute_id: email, dispute_status: phone },
      order_details: { order_id: pan },
    }),
    body('TRANSFER_SUCCESS', { transfer_id: bankAccount, status_code: phone, transfer_utr: upiId }),
    body('TRANSFER_FAILED', { transfer: { transfer_id: email } }),
    body(`TRANSFER_${upiId}`, { transfer_id: { bankAccount } }),
  ]
}
