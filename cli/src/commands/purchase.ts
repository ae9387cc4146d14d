import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type CallPayment,
  type Client,
  type Journal,
  type Purchase,
  PurchaseError,
  payingFetch,
  paymentOf,
  priceOf,
} from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { EXIT, Failure, failureOf } from '../failure.ts'
import { type Access, isThisMachine, type Session } from '../session.ts'
import { type FetchOptions, noResponse } from './fetch-request.ts'

/** A response, and its payment if it cost money. */
export interface Bought {
  readonly response: Response
  readonly payment: CallPayment | null
}

/**
 * Fetches and pays. The purchase is on disk before money moves, so that the same command after a crash continues it.
 */
export async function buy(
  session: Session,
  { client }: Access,
  url: URL,
  init: RequestInit,
  { maxAmount, payee, allowHttp }: FetchOptions,
): Promise<Bought> {
  const journal = await openJournal(session)
  const watched = watch(journal)
  const paying = payingFetch(fetch, {
    client,
    maxAmount,
    approval: 'return',
    allowHttp: allowHttp === true || isThisMachine(url),
    journal: watched.journal,
    ...(payee === undefined ? {} : { payees: payee }),
  })
  try {
    const response = await paying(url, init)
    const payment = paymentOf(response) ?? null
    if (payment === null) await refuseToPay(session, response, true, client)
    return { response, payment }
  } catch (error) {
    throw purchaseFailure(session, url, init, watched.purchase(), error)
  } finally {
    // A purchase in progress would delay the end.
    await Promise.race([journal.close(), delay(1_000, undefined, { ref: false })])
  }
}

/** A 402 that is not paid ends the command; its price is in the error. */
export async function refuseToPay(
  { profiles }: Session,
  response: Response,
  mayPay: boolean,
  client?: Client,
): Promise<void> {
  const asked = await priceOf(response, client)
  if (asked === null) return
  response.body?.cancel().catch(() => undefined)
  const challenge = asked === 'unreadable' ? null : asked
  const price = challenge === null ? 'an amount that cannot be read' : `${challenge.amount} INR`
  const details = { amount: challenge?.amount ?? null, pay_to: challenge?.payTo ?? null }
  if (mayPay) {
    const message = `It costs ${price}, and profile ${profiles.name} is not logged in as an agent`
    throw new Failure({ exit: EXIT.notAllowed, code: 'authentication_error', message, details })
  }
  const message = `It costs ${price}, and --no-pay pays nothing`
  throw new Failure({ exit: EXIT.limit, code: 'payment_required', message, details })
}

const TURN_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50

/** One journal for all profiles: commands that run at the same time take turns with it. */
async function openJournal({ profiles, signal }: Session) {
  await mkdir(profiles.folder, { recursive: true, mode: 0o700 })
  const path = join(profiles.folder, 'purchases.jsonl')
  const deadline = Date.now() + TURN_WITHIN_MS
  for (;;) {
    try {
      return await fileJournal(path)
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY'
      if (!isBusy || Date.now() > deadline) throw error
      await delay(LOOK_EVERY_MS, undefined, { signal })
    }
  }
}

/** The journal, and the purchase that it records for this command. */
function watch(journal: Journal): { readonly journal: Journal; purchase(): Purchase | null } {
  let current: Purchase | null = null
  return {
    purchase: () => current,
    journal: {
      ...journal,
      async resume(requestKey) {
        current = await journal.resume(requestKey)
        return current
      },
      async begin(purchase, limits) {
        const exceeded = await journal.begin(purchase, limits)
        if (exceeded === null) current = purchase
        return exceeded
      },
      async update(id, change) {
        await journal.update(id, change)
        if (current !== null) current = { ...current, ...change }
      },
    },
  }
}

function purchaseFailure(
  session: Session,
  url: URL,
  init: RequestInit,
  purchase: Purchase | null,
  error: unknown,
): unknown {
  const isOpen = purchase?.state === 'paying' || purchase?.state === 'paid'
  if (purchase === null || !isOpen) {
    session.signal.throwIfAborted()
    return noResponse(url, init, error)
  }
  // The seller or the owner caused these errors, and the error says what happened to the money.
  if (error instanceof PurchaseError) return error
  return unfinished(session, purchase, error)
}

function unfinished({ signal }: Session, purchase: Purchase, error: unknown): Failure {
  const { state, paymentId, nonce, payTo, amountPaise } = purchase
  const price = `${Number(amountPaise) / 100} INR to ${payTo}`
  const cause = signal.aborted ? 'Interrupted' : failureOf(error).message
  const known =
    state === 'paid'
      ? `${price} were paid (${paymentId}), but there is no response`
      : `It is unknown whether ${price} were paid`
  return new Failure({
    exit: EXIT.unknown,
    code: signal.aborted ? 'interrupted' : failureOf(error).body.error.code,
    message: `${cause}. ${known}`,
    details: {
      outcome: 'unknown',
      idempotency_key: nonce,
      reference: nonce,
      payment_id: paymentId,
      pay_to: payTo,
    },
    hints: [
      `reference of the payment: ${nonce}`,
      'Repeat the same command: it continues with this payment and does not pay again',
    ],
  })
}
