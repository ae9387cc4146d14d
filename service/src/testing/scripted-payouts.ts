import type { GatewayResult } from '../gateways/gateway-result.ts'
import type {
  Beneficiary,
  PayoutProvider,
  PayoutRequest,
  PayoutWebhook,
  ProviderPayout,
} from '../gateways/payout-provider.ts'

/** How the provider answers a request to send money: what it does with it, and what it then says. */
export type SendScript =
  /** Takes it, and says so. */
  | 'pending'
  | 'success'
  | 'success_without_utr'
  | 'failed'
  /** Takes it, and the answer is lost. */
  | 'lost_after'
  /** The request is lost, and nobody can tell. */
  | 'lost_before'
  | 'rejected'
  | 'retryable'

/** A provider of payouts whose every answer the test writes. It pays one id once, however often it is sent. */
export interface ScriptedPayouts extends PayoutProvider {
  /** What is paid out, by transfer id. */
  readonly paid: ReadonlyMap<string, ProviderPayout>
  /** Every request to send, in order. */
  readonly sent: readonly PayoutRequest[]
  readonly beneficiaries: readonly Beneficiary[]
  /** Requests that were lost on the way there, by transfer id. */
  readonly lost: ReadonlyMap<string, PayoutRequest>
  /** How the next requests are answered; after the last one all succeed. */
  script(...next: readonly SendScript[]): void
  /** A request that was long on its way gets there, whatever its sender was told. */
  arrive(request: Pick<PayoutRequest, 'transferId' | 'amountPaise'>, script: SendScript): void
  /** What a payout comes to. */
  become(transferId: string, change: Partial<ProviderPayout>): void
  /** While it is away it answers no question. */
  setAway(away: boolean): void
  /** Called before every answer to a request or a question; what it waits for holds that answer up. */
  hold(wait: ((call: 'send' | 'get' | 'ensure', transferId: string) => Promise<void>) | null): void
}

/** The notice that names these transfers. */
export function noticeOf(...transferIds: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify({ transferIds }))
}

const UNKNOWN = { kind: 'unknown', message: 'no answer' } as const

export function scriptedPayouts(name = 'scripted'): ScriptedPayouts {
  const paid = new Map<string, ProviderPayout>()
  const sent: PayoutRequest[] = []
  const beneficiaries: Beneficiary[] = []
  const lost = new Map<string, PayoutRequest>()
  const next: SendScript[] = []
  let away = false
  let wait: Parameters<ScriptedPayouts['hold']>[0] = null

  function take(
    request: Pick<PayoutRequest, 'transferId' | 'amountPaise'>,
    script: SendScript,
  ): ProviderPayout {
    const known = paid.get(request.transferId)
    if (known !== undefined) return known
    const taken = newPayout(request, script, paid.size)
    paid.set(request.transferId, taken)
    return taken
  }

  return {
    name,
    paid,
    sent,
    beneficiaries,
    lost,
    script: (...scripts) => void next.push(...scripts),
    arrive: (request, script) => void take(request, script),
    become(transferId, change) {
      const known = paid.get(transferId)
      if (known !== undefined) paid.set(transferId, { ...known, ...change })
    },
    setAway: value => {
      away = value
    },
    hold: value => {
      wait = value
    },
    async ensureBeneficiary(beneficiary) {
      await wait?.('ensure', beneficiary.beneficiaryId)
      beneficiaries.push(beneficiary)
      return away
        ? UNKNOWN
        : { kind: 'value', value: { beneficiaryId: `known_${beneficiary.beneficiaryId}` } }
    },
    async send(request): Promise<GatewayResult<ProviderPayout>> {
      await wait?.('send', request.transferId)
      const script = next.shift() ?? 'success'
      sent.push(request)
      if (script === 'lost_before') {
        lost.set(request.transferId, request)
        return UNKNOWN
      }
      if (script === 'retryable') return { kind: 'retryable', message: 'busy' }
      if (script === 'rejected') return { kind: 'rejected', code: 'refused', message: 'will not' }
      const taken = take(request, script)
      return script === 'lost_after' || away ? UNKNOWN : { kind: 'value', value: taken }
    },
    async get(transferId) {
      await wait?.('get', transferId)
      return away ? UNKNOWN : { kind: 'value', value: paid.get(transferId) ?? null }
    },
    parseWebhook(rawBody): PayoutWebhook {
      const { transferIds } = JSON.parse(rawBody.toString()) as { transferIds: string[] }
      // Each copy counts as a notice of its own, so that repetitions are followed too.
      return { valid: true, transferIds, dedupeKey: `${Math.random()}` }
    },
  }
}

function newPayout(
  request: Pick<PayoutRequest, 'transferId' | 'amountPaise'>,
  script: SendScript,
  count: number,
): ProviderPayout {
  const status = { failed: 'failed', pending: 'pending' } as const
  const base = {
    transferId: request.transferId,
    providerPayoutId: `provider-${count}`,
    amountPaise: request.amountPaise,
    reason: script === 'failed' ? 'account_closed' : null,
  }
  if (script === 'failed' || script === 'pending') return { ...base, status: status[script], utr: null }
  return { ...base, status: 'success', utr: script === 'success_without_utr' ? null : `UTR${count}` }
}
