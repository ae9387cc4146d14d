import { deepEqual } from 'node:assert/strict'
import type { EffectivePolicy, PaymentResult, PolicyEvaluation } from '@batua/contract'
import { AppError } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import {
  checkRetry,
  decideByScan,
  limitsByScan,
  mostByScan,
  type PlainResponse,
  type Question,
} from './limits-reference.ts'

/** The result of a payment or its dry run. */
export type DecisionResult =
  | PaidResult
  | { readonly kind: 'asked'; readonly approvalId: string | undefined }
  | { readonly kind: 'refused'; readonly code: string; readonly details: Details | null }

type Details = Readonly<Record<string, unknown>>

interface PaidResult {
  readonly kind: 'paid'
  readonly atMs: number
  readonly balance: number
}

type Reply = Pick<PaymentResult, 'status' | 'created_at' | 'from_balance' | 'approval_id'>

export async function responseOf(work: Promise<Reply>): Promise<DecisionResult> {
  try {
    const { status, created_at, from_balance, approval_id: approvalId } = await work
    if (status !== 'completed') return { kind: 'asked', approvalId }
    return { kind: 'paid', atMs: Date.parse(created_at), balance: from_balance }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'refused', code: error.code, details: error.details ?? null }
  }
}

/** The result without its `retry_at`, which the reference checks by trying, and the version of the policy. */
function comparable(result: DecisionResult): { response: PlainResponse; retryAt: string | undefined } {
  if (result.kind !== 'refused') return { response: { kind: result.kind }, retryAt: undefined }
  if (result.details === null) return { response: result, retryAt: undefined }
  const { retry_at: retryAt, policy_version: _, ...left } = result.details
  const details = Object.keys(left).length === 0 ? null : left
  return { response: { ...result, details }, retryAt: typeof retryAt === 'string' ? retryAt : undefined }
}

/** Fails unless the reference gives the same result. */
export function expectSame(
  result: DecisionResult,
  question: Question & { payee: Uuid },
  amount: bigint,
): void {
  const { response, retryAt } = comparable(result)
  deepEqual(response, isEnded(question) ? APP_ENDED : decideByScan(question, amount))
  if (result.kind === 'refused' && result.code === 'spend_limit_exceeded')
    checkRetry(question, amount, retryAt)
  if (result.kind === 'paid') deepEqual(result.atMs, question.nowMs)
}

const APP_ENDED: PlainResponse = { kind: 'refused', code: 'authentication_error', details: null }

/** Whether the app that asks was disconnected or has expired. */
export function isEnded({ app, nowMs }: Question): boolean {
  return app !== null && app !== undefined && app.untilMs <= nowMs
}

export function resultOf({ decision, code, details }: PolicyEvaluation, nowMs: number): DecisionResult {
  switch (decision) {
    case 'approved':
      return { kind: 'paid', atMs: nowMs, balance: 0 }
    case 'approval_required':
      return { kind: 'asked', approvalId: undefined }
    default:
      return { kind: 'refused', code: code ?? '', details }
  }
}

/** Fails unless every figure matches a scan of the history. */
export function expectHeadroom(shown: EffectivePolicy, question: Question): void {
  const most = mostByScan(question)
  deepEqual(shown.max_amount_now, Number.isFinite(most) ? most / 100 : null)
  deepEqual(shown.as_of, new Date(question.nowMs).toISOString())
  const wanted = limitsByScan(question).map(({ rule, layer, window, limit, used, resetsAtMs }) => {
    const unit = rule === 'max_counterparties_per_hour' ? 1 : 100
    return {
      ...{ rule, layer, window, limit: limit / unit },
      used: used === null ? null : used / unit,
      remaining: used === null ? null : Math.max(0, limit - used) / unit,
      resets_at: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
    }
  })
  deepEqual(shown.limits, wanted)
}
