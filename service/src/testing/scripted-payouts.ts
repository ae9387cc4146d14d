import type { GatewayResult } from '../gateways/gateway-result.ts'
import type {
  Beneficiary,
  PayoutProvider,
  PayoutRequest,
  PayoutWebhook,
  ProviderPayout,
} from '../gateways/payout-provider.ts'

/** How the provider handles a request to send money, and how it responds. */
export type SendScript =
  /** Accepts it and responds. */
  | 'pending'
  | 'success'
  | 'success_without_utr'
  | 'failed'
  /** Accepts it, and the response is lost. */
  | 'lost_after'
  /** The request is lost; the caller cannot know. */
  | 'lost_before'
  | 'rejected'
  | 'retryable'

/** A provider of payouts whose responses the test scripts. It pays each id once, however often it is sent. */
export interface ScriptedPayouts extends PayoutProvider {
  /** The amounts paid out, by transfer id. */
  readonly paid: ReadonlyMap<string, ProviderPayout>
  /** Every request to send, in order. */
  readonly sent: readonly PayoutRequest[]
  readonly beneficiaries: readonly Beneficiary[]
  /** Lost requests, by transfer id. */
  readonly lost: ReadonlyMap<string, PayoutRequest>
  /** The responses to the next requests; later ones succeed. */
  script(...next: readonly SendScript[]): void
  /** Lets a delayed request arrive. */
  arrive(request: Pick<PayoutRequest, 'transferId' | 'amountPaise'>, script: SendScript): void
  /** Sets the outcome of a payout. */
  become(transferId: string, change: Partial<ProviderPayout>): void
  /** While it is unavailable it responds to no status query. */
  setAway(away: boolean): void
  /** Called before every response; its promise delays that response. */
  hold(wait: ((call: 'send' | 'get' | 'ensure', transferId: string) => Promise<void>) | null): void
}

/** The webhook about these transfers. */
export function webhookOf(...transferIds: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify({ transferIds }))
}

const UNKNOWN = { kind: 'unknown', message: 'no response' } as const

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
      // Each copy counts as a webhook of its own, so that repetitions are processed too.
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
