import { at, type ExactJson } from '../exact-json.ts'
import { type GatewayResult, rejected, value } from '../gateway-result.ts'
import type { UpiAttempt, UpiRequest } from '../payment-gateway.ts'
import type { CallCashfree } from './http.ts'
import type { CashfreeOrder } from './order.ts'

/** Minutes, between 5 and 15, in which the payer can approve. */
const COLLECT_EXPIRY_MINUTES = 10
const CHANNELS = { intent: 'link', qr: 'qrcode', collect: 'collect' } as const

/** Starts a UPI attempt. It uses the session without credentials, as the payer's browser would. */
export async function startUpi(
  ask: CallCashfree,
  order: CashfreeOrder,
  request: UpiRequest,
): Promise<GatewayResult<UpiAttempt>> {
  if (order.sessionId === null || order.status !== 'active') {
    return rejected('order_inactive', 'The order takes no payment')
  }
  const response = await ask({
    method: 'POST',
    path: '/orders/sessions',
    isOpen: true,
    body: { payment_session_id: order.sessionId, payment_method: { upi: upiOf(request) } },
  })
  if (response.kind !== 'value') return response
  return value({ intent: request.channel === 'collect' ? null : intentIn(at(response.value, 'data')) })
}

function upiOf(request: UpiRequest): Readonly<Record<string, unknown>> {
  const channel = CHANNELS[request.channel]
  if (request.channel !== 'collect') return { channel }
  return { channel, upi_id: request.upiId, upi_expiry_minutes: COLLECT_EXPIRY_MINUTES }
}

/**
 * The generic UPI address among those for single apps (assumed: `data.payload.default`). A QR code may also be an image,
 * from which no address can be made, so it counts as none.
 */
function intentIn(data: ExactJson | undefined): string | null {
  const payload = at(data, 'payload')
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
  const texts = [
    at(payload, 'default'),
    at(payload, 'bhim'),
    ...(isObject ? Object.values(payload) : []),
    at(data, 'url'),
  ]
  return (
    texts.find((text): text is string => typeof text === 'string' && text.startsWith('upi://pay?')) ?? null
  )
}
