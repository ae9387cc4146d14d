import type { Purchase } from './journal.ts'

/** The payee of a host. */
export interface Pin {
  readonly host: string
  readonly payeeId: string
}

const STATES: readonly unknown[] = [
  'paying',
  'paid',
  'served',
  'refused',
  'refunded',
  'lost',
  'unpaid',
] satisfies Purchase['state'][]

/** A purchase as a line of a file, including the line's end. */
export function lineOfPurchase(purchase: Purchase): string {
  return `${JSON.stringify({ ...purchase, amountPaise: String(purchase.amountPaise) })}\n`
}

/** The purchase in a line without its end; null if there is none. */
export function purchaseOfLine(line: string): Purchase | null {
  try {
    const fields: unknown = JSON.parse(line)
    return isWritten(fields) ? { ...fields, amountPaise: BigInt(fields.amountPaise) } : null
  } catch {
    return null
  }
}

/** A pin as a line of a file, including the line's end. */
export function lineOfPin({ host, payeeId }: Pin): string {
  return `${JSON.stringify({ pin: host, payeeId })}\n`
}

/** The pin in a line without its end; null if there is none. */
export function pinOfLine(line: string): Pin | null {
  try {
    const { pin: host, payeeId } = Object(JSON.parse(line)) as {
      readonly pin: unknown
      readonly payeeId: unknown
    }
    return typeof host === 'string' && typeof payeeId === 'string' ? { host, payeeId } : null
  } catch {
    return null
  }
}

type Written = Omit<Purchase, 'amountPaise'> & { readonly amountPaise: string }

function isWritten(value: unknown): value is Written {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Readonly<Record<string, unknown>>
  const texts = [fields.id, fields.requestKey, fields.host, fields.payTo, fields.nonce, fields.amountPaise]
  return (
    texts.every(text => typeof text === 'string') &&
    /^[0-9]{1,15}$/.test(String(fields.amountPaise)) &&
    Number.isSafeInteger(fields.startedAt) &&
    (isNothing(fields.triedAt) || Number.isSafeInteger(fields.triedAt)) &&
    (isNothing(fields.spentUntil) || Number.isSafeInteger(fields.spentUntil)) &&
    (isNothing(fields.setAsideSeconds) || Number.isSafeInteger(fields.setAsideSeconds)) &&
    (isNothing(fields.byVoucher) || typeof fields.byVoucher === 'boolean') &&
    STATES.includes(fields.state) &&
    isTextOrNothing(fields.payeeId) &&
    isTextOrNothing(fields.paymentId) &&
    isTextOrNothing(fields.approvalId)
  )
}

function isTextOrNothing(value: unknown): boolean {
  return typeof value === 'string' || isNothing(value)
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}
