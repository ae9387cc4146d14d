/** The credentials. Without them only public routes can be called. */
export interface Credentials {
  /** An agent's key, `agk_live_…`. */
  readonly agentKey?: string
  /** A platform's id and secret. */
  readonly platformId?: string
  readonly platformSecret?: string
  /** The value of an owner's cookie `service_session`; a browser sends its own. `logIn` gets one. */
  readonly sessionToken?: string
  /** The value of an administrator's cookie `service_admin_session`. */
  readonly adminSessionToken?: string
}

export interface ClientOptions extends Credentials {
  /** The service's address, such as `https://batua.example`. */
  readonly baseUrl: string
  /** For tests, proxies and old platforms; by default the global one. */
  readonly fetch?: typeof fetch
  /** The timeout of one attempt; 30,000 ms by default. */
  readonly timeoutMs?: number
  /** The maximum number of retries, where they are safe; 3 by default. */
  readonly maxRetries?: number
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void
}

export interface Retry {
  readonly operation: string
  /** The number of the failed attempt, from 1. */
  readonly attempt: number
  readonly delayMs: number
  readonly code: string
}

/** A challenge that a passkey signed, as `requestStepUp` asks for it. */
export interface SignedStepUp {
  readonly challenge_id: string
  /** The browser's `PublicKeyCredential`, as `toJSON()` gives it. */
  readonly response: object
}

export interface CallOptions {
  /** The confirmation by a passkey of the person whose session this is; see `stepUpFor`. */
  readonly stepUp?: SignedStepUp
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /**
   * Every POST has one by default; give your own to make a call safe to repeat across restarts. null: none is sent,
   * which saves the service two writes, and the client does not retry.
   */
  readonly idempotencyKey?: string | null
}
