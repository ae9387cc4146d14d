import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EXIT, Failure } from '../failure.ts'
import { printable, printableLines } from '../printable.ts'
import type { Session } from '../session.ts'
import type { FetchOptions } from './fetch-request.ts'
import type { Bought } from './purchase.ts'

/** Writes a shop's response: its bytes as they are, except on a terminal, which would obey some of them. */
export async function writeResponse(
  session: Session,
  bought: Bought,
  options: Pick<FetchOptions, 'include' | 'output'>,
): Promise<void> {
  const { out } = session
  const { response } = bought
  try {
    if (out.json) out.body(await jsonOf(bought))
    else {
      if (options.include) out.lines(...headOf(response), '')
      if (options.output === undefined) await toOutput(session, response)
      else await toFile(response, options.output)
    }
  } catch (error) {
    if (isOutput(error)) return
    throw brokenOff(bought, error)
  }
}

function headOf(response: Response): string[] {
  const headers = [...response.headers].map(([name, value]) => printable(`${name}: ${value}`))
  return [`HTTP ${response.status} ${printable(response.statusText)}`.trimEnd(), ...headers]
}

async function toOutput({ out, stdout }: Session, response: Response): Promise<void> {
  if (out.isTerminal) {
    const text = printableLines((await response.text()).replaceAll('\r\n', '\n'))
    if (text !== '') out.lines(text.replace(/\n$/, ''))
    return
  }
  if (response.body !== null) await pipeline(Readable.from(response.body), stdout, { end: false })
}

async function toFile(response: Response, path: string): Promise<void> {
  const file = createWriteStream(path)
  await (response.body === null
    ? pipeline(Readable.from([]), file)
    : pipeline(Readable.from(response.body), file))
}

async function jsonOf({ response, payment }: Bought): Promise<object> {
  const text = await response.text()
  return {
    status: response.status,
    body: parsed(text),
    payment_status: payment?.status ?? null,
    payment_id: payment?.paymentId ?? null,
    approval_id: payment?.approvalId ?? null,
    pay_to: payment?.payTo ?? null,
    amount: payment === null ? null : Number(payment.amount),
    reference: payment?.nonce ?? null,
  }
}

/** JSON as its value, anything else as text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The reader of the output has ended, such as `head`. */
function isOutput(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

function brokenOff({ response, payment }: Bought, error: unknown): unknown {
  if (!(error instanceof TypeError)) return error
  if (payment === null)
    return new Failure({ exit: EXIT.away, code: 'network_error', message: `The response ended early` })
  const { paymentId, nonce } = payment
  return new Failure({
    exit: EXIT.unknown,
    code: 'network_error',
    message: `The response ended early, after ${paymentId} had paid for it`,
    details: { status: response.status, payment_id: paymentId, reference: nonce },
    hints: ['The seller has begun to serve, so the same command would buy it again'],
  })
}
