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

/** The texts of a page or component in every language. A text that one of them lacks does not compile. */
export function texts<const En extends Catalogue>(of: {
  readonly en: En
  readonly hi: Translated<En>
}): Texts<En> {
  return of as Texts<En>
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
