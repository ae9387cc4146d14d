/** The languages of the console, each with the locale that writes its numbers and dates. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-IN' },
  hi: { name: 'हिन्दी', locale: 'hi-IN' },
} as const

export type Language = keyof typeof LANGUAGES

type Text = string | ((...values: never[]) => string)
export type Catalogue = { readonly [name: string]: Text | Catalogue }

/** The same texts in another language: the same names, and functions of the same values. */
type Translated<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string
    ? string
    : Texts[Name] extends Text
      ? Texts[Name]
      : Translated<Texts[Name]>
}

export type Texts<Of extends Catalogue = Catalogue> = Readonly<Record<Language, Translated<Of>>>

/**
 * The texts of a page or component in every language. A text that one of them lacks does not compile. A name that is
 * written from right to left stays one unit in its sentence, so it cannot move the amount beside it.
 */
export function texts<const En extends Catalogue>(of: {
  readonly en: En
  readonly hi: Translated<En>
}): Texts<En> {
  return withIsolatedNames(of) as Texts<En>
}

function withIsolatedNames(catalogue: Catalogue): Catalogue {
  const isolating = (text: Text | Catalogue): Text | Catalogue => {
    if (typeof text === 'string') return text
    if (typeof text === 'object') return withIsolatedNames(text)
    return (...values) => text(...(values.map(isolated) as never[]))
  }
  return Object.fromEntries(Object.entries(catalogue).map(([name, text]) => [name, isolating(text)]))
}

// The blocks of the scripts that are written from right to left (Unicode UAX #9).
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

function isolated(value: unknown): unknown {
  return typeof value === 'string' && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value
}

interface Forms {
  readonly one: string
  readonly other: string
}

/** Chooses a form by a number, which replaces `#`: `plural.en(2, { one: '# request', other: '# requests' })`. */
export const plural = { en: pluralOf('en'), hi: pluralOf('hi') }

function pluralOf(language: Language): (count: number, forms: Forms) => string {
  const { locale } = LANGUAGES[language]
  const rules = new Intl.PluralRules(locale)
  const number = new Intl.NumberFormat(locale)
  return (count, { one, other }) =>
    (rules.select(count) === 'one' ? one : other).replace('#', number.format(count))
}
