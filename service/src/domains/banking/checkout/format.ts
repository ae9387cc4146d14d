import { type Paise, rupeesText } from '../../../kernel/money.ts'

/** `₹1,00,000.00`: the last three digits together, then pairs, as amounts are written in India. */
export function formatInr(amount: Paise): string {
  return `₹${rupeesText(amount).replace(/(\d)(?=(?:\d\d)+\d\.)/g, '$1,')}`
}

const TIME = new Intl.DateTimeFormat('en-IN', {
  timeZone: 'Asia/Kolkata',
  hour: 'numeric',
  minute: '2-digit',
  hour12: true,
})

const DATE_AND_TIME = new Intl.DateTimeFormat('en-IN', {
  timeZone: 'Asia/Kolkata',
  dateStyle: 'medium',
  timeStyle: 'short',
})

export function formatTime(moment: Date): string {
  return `${TIME.format(moment)} IST`
}

export function formatMoment(moment: Date): string {
  return `${DATE_AND_TIME.format(moment)} IST`
}

/** `29:41` */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
