import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { type Format, formatOf } from './format.ts'
import { type Catalogue, LANGUAGES, type Language, type Texts } from './texts.ts'

const KEPT_AS = 'batua-language'

interface Spoken {
  readonly language: Language
  readonly format: Format
  speak(language: Language): void
}

const SpokenContext = createContext<Spoken | null>(null)

/** The language that was chosen here, or else the first of the browser's languages that there is. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, speak] = useState(firstLanguage)
  const spoken = useMemo(() => ({ language, format: formatOf(language), speak }), [language])
  useEffect(() => {
    document.documentElement.lang = language
    localStorage.setItem(KEPT_AS, language)
  }, [language])
  return <SpokenContext value={spoken}>{children}</SpokenContext>
}

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT_AS), ...navigator.languages]
  const known = Object.keys(LANGUAGES) as Language[]
  for (const name of wanted) {
    const found = known.find(language => name?.split('-')[0] === language)
    if (found !== undefined) return found
  }
  return 'en'
}

export function useLanguage(): Spoken {
  const spoken = use(SpokenContext)
  if (spoken === null) throw new Error('There is no LanguageProvider above this component')
  return spoken
}

/** The texts of a catalogue in the language that is chosen. */
export function useTexts<Of extends Catalogue>(catalogue: Texts<Of>): Texts<Of>[Language] {
  return catalogue[useLanguage().language]
}

export function useFormat(): Format {
  return useLanguage().format
}
