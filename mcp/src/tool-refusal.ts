import { nullable } from '@batua/contract'
import { type AnyBatuaError, isBatuaError, PurchaseError, type PurchaseErrorCode } from '@batua/sdk'
import { type Static, Type } from 'typebox'
import { nextTool, type Tool, type ToolName, untrusted } from './tool.ts'
import { pointersTo } from './untrusted.ts'

const inrOrNull = (description: string) => nullable(Type.Number({ description }))
const textOrNull = (description: string) => nullable(Type.String({ description }))

/** What a model needs to go on after a refusal. Fields that say nothing are null. */
export const Refusal = Type.Object(
  {
    code: Type.String({
      description:
        'Of a refusal: the code of the service, or of a purchase, or `url_refused` or `url_unreachable`.',
      examples: ['spend_limit_exceeded'],
    }),
    message: Type.String({ description: 'Of a refusal: the reason for people. May change.' }),
    layer: textOrNull('Of a refusal: whose limit refused.'),
    limit: inrOrNull('Of a refusal: the limit that refused, in INR.'),
    remaining: inrOrNull('Of a refusal: what is left of that limit, or the balance, in INR.'),
    max_amount_now: inrOrNull('Of a refusal: the greatest amount that every limit would allow now, in INR.'),
    retry_at: textOrNull('Of a refusal: when the same call would pass, RFC 3339.'),
    next_tool: nextTool,
    field: textOrNull('Of a refusal: the invalid argument.'),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Of a refusal: what else the service said.',
    }),
    untrusted,
  },
  { additionalProperties: false },
)
export type RefusalFacts = Readonly<Static<typeof Refusal>>

type RefusalCode = AnyBatuaError['code'] | PurchaseErrorCode | 'url_refused' | 'url_unreachable'

/**
 * Every code of a refusal, and what a model does after it: it calls the tool that is named; it repeats the same call
 * with the same key; it reads the payment, if the purchase made one; or nothing, because a person has to act.
 */
export const REFUSAL_CODES: Readonly<Record<RefusalCode, 'tool' | 'repeat' | 'payment' | 'person'>> = {
  validation_error: 'tool',
  insufficient_balance: 'tool',
  spend_limit_exceeded: 'tool',
  escrow_required: 'tool',
  policy_denied: 'tool',
  not_found: 'tool',
  idempotency_error: 'tool',
  conflict: 'tool',
  rate_limit_exceeded: 'tool',
  price_too_high: 'tool',
  url_unreachable: 'tool',
  internal_error: 'repeat',
  gateway_error: 'repeat',
  service_unavailable: 'repeat',
  network_error: 'repeat',
  timeout: 'repeat',
  invalid_response: 'repeat',
  invalid_challenge: 'payment',
  budget_exceeded: 'payment',
  payee_not_allowed: 'payment',
  payee_changed: 'payment',
  buyer_not_accepted: 'payment',
  origins_not_genuine: 'payment',
  insecure_seller: 'payment',
  redirect_refused: 'payment',
  body_not_repeatable: 'payment',
  approval_rejected: 'payment',
  approval_expired: 'payment',
  approval_timeout: 'payment',
  price_changed: 'payment',
  payment_not_accepted: 'payment',
  payment_mismatch: 'payment',
  authentication_error: 'person',
  authorization_error: 'person',
  kyc_required: 'person',
  passkey_required: 'person',
  method_not_allowed: 'person',
  payload_too_large: 'person',
  unsupported_media_type: 'person',
  url_refused: 'person',
}

const NOTHING = {
  layer: null,
  limit: null,
  remaining: null,
  max_amount_now: null,
  retry_at: null,
  next_tool: null,
  field: null,
  details: {},
  untrusted: [] as string[],
} as const

/** A refusal by a tool itself. */
export class ToolRefusal extends Error {
  readonly facts: RefusalFacts & { readonly code: RefusalCode }

  constructor({
    code,
    message,
    ...facts
  }: Partial<RefusalFacts> & { readonly code: RefusalCode; readonly message: string }) {
    super(message)
    this.facts = { code, message, ...NOTHING, ...facts }
  }
}

/** The refusal that an error means; null: it is a fault of this program. */
export function refusalOf(error: unknown, tool: Tool, nowMs: number): RefusalFacts | null {
  if (error instanceof ToolRefusal) return ofTool(error, tool)
  if (error instanceof PurchaseError) return ofPurchase(error)
  if (isBatuaError(error)) return ofService(error, tool, nowMs)
  return null
}

/** Wrong arguments are put right in a call of the same tool, and what failed for now is repeated. */
function ofTool({ facts }: ToolRefusal, { name }: Tool): RefusalFacts {
  const isSameTool = facts.code === 'validation_error' || facts.code === 'service_unavailable'
  return isSameTool ? { ...facts, next_tool: facts.next_tool ?? name } : facts
}

function ofService(error: AnyBatuaError, tool: Tool, nowMs: number): RefusalFacts {
  const { code, message, field, retryAfterMs } = error
  const details: Readonly<Record<string, unknown>> = { ...error.details }
  const waitUntil = retryAfterMs === null ? null : new Date(nowMs + retryAfterMs).toISOString()
  return {
    code,
    message,
    layer: textIn(details['layer']),
    limit: numberIn(details['limit']) ?? numberIn(details['escrow_above']),
    remaining: numberIn(details['remaining']) ?? numberIn(details['balance']),
    max_amount_now: numberIn(details['max_amount_now']),
    retry_at: textIn(details['retry_at']) ?? waitUntil,
    next_tool: nextToolAfter(error, tool),
    field,
    details,
    untrusted: pointersTo(tool.writtenByOthers ?? [], { details }),
  }
}

/** The tool that helps after this error; null: no tool does, a person has to. */
function nextToolAfter({ code, details }: AnyBatuaError, tool: Tool): ToolName | null {
  // It may have been done: the same key never does it twice.
  if (REFUSAL_CODES[code] === 'repeat') return tool.name
  switch (code) {
    case 'spend_limit_exceeded':
      return details.max_amount_now > 0 ? 'check_payment' : 'get_wallet'
    case 'escrow_required':
      return 'hold_escrow'
    case 'insufficient_balance':
    case 'policy_denied':
      return 'get_wallet'
    case 'idempotency_error':
      return tool.findsEarlier ?? null
    case 'conflict':
      if (details.approval_id !== undefined) return 'get_approval'
      return details.payment_id === undefined ? null : 'get_payment'
    case 'validation_error':
    case 'rate_limit_exceeded':
      return tool.name
    case 'not_found':
      return tool.name === 'get_payment' || tool.name === 'refund' ? 'list_transactions' : null
    default:
      return null
  }
}

/**
 * The message of a failed purchase repeats what its seller said: whom it pays, where it redirects, to whom it sells.
 */
export const WRITTEN_BY_SELLERS: readonly string[] = ['/message']

/** A purchase that was not made, or not served. Of what was set aside, the statement says what was captured. */
function ofPurchase({ code, message, paymentId, approvalId, refunded }: PurchaseError): RefusalFacts {
  const ids = idsOf(paymentId)
  const lookUp = ids.authorization_id === null ? 'get_payment' : 'list_transactions'
  return {
    ...NOTHING,
    code,
    message,
    next_tool: paymentId === null ? null : lookUp,
    details: { ...ids, approval_id: approvalId, refunded },
    untrusted: [...WRITTEN_BY_SELLERS],
  }
}

/** The payment of a purchase, or what is set aside until its seller captures it. */
export function idsOf(paymentId: string | null) {
  const isSetAside = paymentId?.startsWith('ath_') === true
  return {
    payment_id: isSetAside ? null : paymentId,
    authorization_id: isSetAside ? paymentId : null,
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
