import { notePayment, paymentOf } from '../buyer/call-payments.ts'
import { PurchaseError } from '../buyer/purchase-error.ts'

type Fetch = typeof globalThis.fetch

/** What is used of axios. */
export interface AxiosLike<Config, Answer> {
  getAdapter(name: 'fetch', config: { env: { fetch: Fetch } }): (config: Config) => Promise<Answer>
}

/**
 * An adapter for axios 1.12 and newer that pays: `axios.create({ adapter: payingAdapter(axios, payingFetch(fetch, …)) })`.
 * It is axios's own `fetch` adapter, so that all its settings work. `timeout` is for the whole purchase, the wait for an
 * approval included.
 *
 * `paymentOf(response)` tells what was paid for an axios response, also for that of an error. A purchase that did not come
 * off, and a refusal of the service, is the `cause` of an AxiosError with the same `code` and `message`.
 */
export function payingAdapter<Config, Answer>(
  axios: AxiosLike<Config, Answer>,
  payingFetch: Fetch,
): (config: Config) => Promise<Answer> {
  const answers = new WeakMap<object, Response>()
  const send = axios.getAdapter('fetch', { env: { fetch: rememberingAnswers(payingFetch, answers) } })
  return async config => {
    try {
      const answer = await send(config)
      passPayment(answer, answers)
      return answer
    } catch (error) {
      if (isObject(error)) passFailure(error, answers)
      throw error
    }
  }
}

/** axios hands on the request that it made, but not the answer that it got. */
function rememberingAnswers(payingFetch: Fetch, answers: WeakMap<object, Response>): Fetch {
  return async (input, init) => {
    const answer = await payingFetch(input, init)
    if (typeof input === 'object') answers.set(input, answer)
    return answer
  }
}

function passPayment(answer: unknown, answers: WeakMap<object, Response>): void {
  if (!isObject(answer) || !isObject(answer['request'])) return
  const response = answers.get(answer['request'])
  const payment = response && paymentOf(response)
  if (payment !== undefined) notePayment(answer, payment)
}

function passFailure(error: Record<string, unknown>, answers: WeakMap<object, Response>): void {
  // axios would take the seller's answer for one of its own, and fail where it writes to it. The cause has it still.
  if (error['cause'] instanceof PurchaseError) error['response'] = undefined
  passPayment(error['response'], answers)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
