import type { CallPayment } from '@batua/sdk'
import { EXIT, type ExitCode } from '../failure.ts'
import { openIfPossible, type Session } from '../session.ts'
import { amountFrom, describe, type Run } from './command.ts'
import { type FetchOptions, noResponse, requestFrom, urlFrom } from './fetch-request.ts'
import { writeResponse } from './fetch-response.ts'
import { type Bought, buy, refuseToPay } from './purchase.ts'

/** What a response may cost unless --max-amount says otherwise. The limits of the agent hold besides. */
const DEFAULT_MAX_INR = 100

export function fetchCommand(run: Run) {
  return describe({
    name: 'fetch',
    summary: 'Fetch a URL, and pay for it if it costs money',
    description:
      'The same call after a failure continues with the payment that it made, and does not pay again.',
    examples: [
      'batua fetch https://weather.example/today --max-amount 5',
      'batua fetch https://weather.example/today --no-pay',
      `batua fetch https://translate.example/ -d '{"text": "नमस्ते"}' -o response.json`,
    ],
  })
    .argument('<url>', 'the address')
    .option('-X, --request <method>', 'the method; GET, or POST with data')
    .option('-H, --header <header>', 'a header, such as "Accept: text/csv"; may be repeated', collected, [])
    .option('-d, --data <text>', 'the body; @file reads a file, @- standard input')
    .option('-o, --output <file>', 'write the response to this file')
    .option('-i, --include', 'print the status and the headers too')
    .option('--max-amount <inr>', 'pay no more than this', amountFrom, DEFAULT_MAX_INR)
    .option('--no-pay', 'pay nothing')
    .option('--payee <agent>', 'pay only this agent; may be repeated', collected)
    .option('--allow-http', 'pay sellers without https too; on this machine they are always paid')
    .action(run(fetchUrl))
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

async function fetchUrl(session: Session, options: FetchOptions, args: readonly string[]): Promise<ExitCode> {
  const url = urlFrom(args[0] ?? '')
  const init = await requestFrom(session, options)
  const bought = await fetched(session, url, init, options)
  const { response, payment } = bought
  if (payment?.status === 'completed') session.out.note(paidNote(payment))
  if (payment?.status === 'pending_approval') return reportWaiting(session, response, payment)
  await writeResponse(session, bought, options)
  return exitOfStatus(response.status)
}

function paidNote({ amount, payTo, paymentId }: CallPayment): string {
  const isSetAside = paymentId?.startsWith('ath_') === true
  return isSetAside
    ? `Set ${amount} INR aside for ${payTo}, who captures it (${paymentId})`
    : `Paid ${amount} INR to ${payTo} (${paymentId})`
}

async function fetched(
  session: Session,
  url: URL,
  init: RequestInit,
  options: FetchOptions,
): Promise<Bought> {
  const access = options.pay ? await openIfPossible(session, 'agent') : null
  if (access !== null) return buy(session, access, url, init, options)
  const response = await plainly(session, url, init)
  await refuseToPay(session, response, options.pay)
  return { response, payment: null }
}

async function plainly({ signal }: Session, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal })
  } catch (error) {
    signal.throwIfAborted()
    throw noResponse(url, init, error)
  }
}

function reportWaiting({ out }: Session, response: Response, payment: CallPayment): ExitCode {
  const { approvalId, payTo, amount, nonce } = payment
  response.body?.cancel().catch(() => undefined)
  out.body({
    status: response.status,
    payment_status: payment.status,
    payment_id: null,
    approval_id: approvalId,
    pay_to: payTo,
    amount: Number(amount),
    reference: nonce,
  })
  out.note(`The owner must approve ${amount} INR to ${payTo}: batua approvals approve ${approvalId}`)
  out.note('Then repeat the command: it continues with the same payment')
  return EXIT.waits
}

function exitOfStatus(status: number): ExitCode {
  if (status < 400) return EXIT.done
  if (status === 402) return EXIT.limit
  if (status === 401 || status === 403) return EXIT.notAllowed
  if (status === 404 || status === 410) return EXIT.notFound
  if (status === 409) return EXIT.conflict
  return [429, 502, 503, 504].includes(status) ? EXIT.away : EXIT.failed
}
