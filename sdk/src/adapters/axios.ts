import { notePayment, paymentOf } from '../buyer/call-payments.ts'
import { PurchaseError } from '../buyer/purchase-error.ts'

type Fetch = typeof globalThis.fetch

/** The used part of axios. */
export interface AxiosLike<Config, Reply> {
  getAdapter(name: 'fetch', config: { env: { fetch: Fetch } }): (config: Config) => Promise<Reply>
}

/**
 * An adapter for axios 1.12 and newer that pays: `axios.create({ adapter: payingAdapter(axios, payingFetch(fetch, …))
 * })`. It is axios's own `fetch` adapter, so that all its settings work. `timeout` is for the whole purchase, the wait
 * for an approval included. `paymentOf` returns the payment of an axios response and of an AxiosError. A failed
 * purchase, and a refusal of the service, is the `cause` of an AxiosError with the same `code` and `message`.
 */
export function payingAdapter<Config, Reply>(
  axios: AxiosLike<Config, Reply>,
  payingFetch: Fetch,
): (config: Config) => Promise<Reply> {
  const outcomes = new WeakMap<object, unknown>()
  const send = axios.getAdapter('fetch', { env: { fetch: rememberingOutcomes(payingFetch, outcomes) } })
  return async config => {
    try {
      const response = await send(config)
      passPayment(response, outcomes)
      return response
    } catch (error) {
      if (isObject(error)) passFailure(error, outcomes)
      throw error
    }
  }
}

/** axios passes on the request that it made, but not its result. */
function rememberingOutcomes(payingFetch: Fetch, outcomes: WeakMap<object, unknown>): Fetch {
  return async (input, init) => {
    const note = (outcome: unknown) => typeof input === 'object' && outcomes.set(input, outcome)
    try {
      const response = await payingFetch(input, init)
      note(response)
      return response
    } catch (error) {
      note(error)
      throw error
    }
  }
}

function passPayment(response: unknown, outcomes: WeakMap<object, unknown>): void {
  if (!isObject(response) || !isObject(response['request'])) return
  const payment = paymentOf(outcomes.get(response['request']))
  if (payment !== undefined) notePayment(response, payment)
}

function passFailure(error: Record<string, unknown>, outcomes: WeakMap<object, unknown>): void {
  // axios would treat the seller's response as one of its own, and fail to write to it. The cause still has it.
  if (error['cause'] instanceof PurchaseError) error['response'] = undefined
  passPayment(error['response'], outcomes)
  passPayment(error, outcomes)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
