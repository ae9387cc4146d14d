import type { Client } from '@batua/sdk'

/** The wallet that one server serves: that of the agent whose key its client has. */
export interface Wallet {
  readonly client: Client
  agentId(): Promise<string>
  /** Fetches addresses that the model names. It refuses those that must not be called. */
  readonly fetch: typeof fetch
  /** Whether sellers without https are paid: in the sandbox. */
  readonly allowHttp: boolean
  readonly pins: Pins
  /** What the keys of vouchers are made of; null: the key of the client’s agent. */
  readonly voucherSecret: string | null
  /** Notes a request that may act on a page, before it is sent: by another method than GET. */
  beforeActing(request: ActingRequest): Promise<void>
}

/** A request to a page that may act on it. */
export interface ActingRequest {
  readonly tool: string
  readonly method: string
  readonly host: string
}

/** The payees of hosts that name no origins (see `Journal` of the SDK). */
export interface Pins {
  payeeOf(host: string): Promise<string | null>
  pin(host: string, payeeId: string): Promise<void>
}

const MAX_PINS = 10_000

/** Pins in memory; the oldest are dropped first. */
export function memoryPins(): Pins {
  const payees = new Map<string, string>()
  return {
    payeeOf: async host => payees.get(host) ?? null,
    async pin(host, payeeId) {
      payees.delete(host)
      payees.set(host, payeeId)
      for (const eldest of payees.keys()) {
        if (payees.size <= MAX_PINS) break
        payees.delete(eldest)
      }
    },
  }
}
