import { LANGUAGES, type Language } from './texts.ts'

const INDIA = 'Asia/Kolkata'

/** How a language writes amounts and times: as India does, and times in IST wherever the reader is. */
export interface Format {
  /** INR: `₹1,00,000.00`. */
  amount(rupees: number): string
  number(value: number): string
  /** `20 Nov 2026`. */
  date(at: string | Date): string
  /** A calendar day or a moment as `20 Nov`. */
  day(at: string | Date): string
  /** `3 pm` in IST, for an axis. */
  hour(at: string | Date): string
  /** INR in thousands, lakhs and crores, for an axis: `₹1.5L`. */
  shortAmount(rupees: number): string
  /** `20 Nov, 3:45 pm IST`, with the year when it is not this one. */
  moment(at: string | Date, now: Date): string
  /** `5 hours 12 minutes`, rounded down to two units. */
  duration(ms: number): string
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

export function formatOf(language: Language): Format {
  const { locale } = LANGUAGES[language]
  const rupees = new Intl.NumberFormat(locale, { style: 'currency', currency: 'INR' })
  const short = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'INR',
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  })
  const number = new Intl.NumberFormat(locale)
  const day = { timeZone: INDIA, day: 'numeric', month: 'short' } as const
  const clock = { hour: 'numeric', minute: '2-digit' } as const
  const date = new Intl.DateTimeFormat(locale, { ...day, year: 'numeric' })
  const shortDay = new Intl.DateTimeFormat(locale, day)
  const hour = new Intl.DateTimeFormat(locale, { timeZone: INDIA, hour: 'numeric' })
  const thisYear = new Intl.DateTimeFormat(locale, { ...day, ...clock })
  const otherYear = new Intl.DateTimeFormat(locale, { ...day, ...clock, year: 'numeric' })
  // A date without a time is its day in every time zone.
  const yearOf = new Intl.DateTimeFormat('en', { timeZone: INDIA, year: 'numeric' })
  const units = UNITS.map(
    ([unit]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
  )
  return {
    amount: value => rupees.format(value),
    number: value => number.format(value),
    date: at => date.format(new Date(at)),
    day: at => shortDay.format(new Date(at)),
    hour: at => hour.format(new Date(at)),
    shortAmount: value => short.format(value),
    moment(at, now) {
      const isThisYear = yearOf.format(new Date(at)) === yearOf.format(now)
      return `${(isThisYear ? thisYear : otherYear).format(new Date(at))} IST`
    },
    duration(ms) {
      const first = UNITS.findIndex(([, length]) => ms >= length)
      if (first === -1) return units.at(-1)?.format(0) ?? ''
      let left = ms
      const parts = UNITS.slice(first, first + 2).map(([, length], index) => {
        const count = Math.floor(left / length)
        left -= count * length
        return count === 0 ? '' : (units[first + index]?.format(count) ?? '')
      })
      return parts.filter(part => part !== '').join(' ')
    },
  }
}
