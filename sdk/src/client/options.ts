/** Who calls. Without any of it only public routes can be called. */
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
  /** For tests, proxies and old platforms; the global one otherwise. */
  readonly fetch?: typeof fetch
  /** How long one attempt may take; 30,000 ms unless said. */
  readonly timeoutMs?: number
  /** How often a call is tried again where that is safe; 3 unless said. */
  readonly maxRetries?: number
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void
}

export interface Retry {
  readonly operation: string
  /** Which attempt failed, from 1. */
  readonly attempt: number
  readonly delayMs: number
  readonly code: string
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /**
   * Every POST has one, made for it; give your own to make a call safe to repeat across restarts. null: none is sent,
   * which spares the service two writes and leaves it to you to repeat the call or not.
   */
  readonly idempotencyKey?: string | null
}
