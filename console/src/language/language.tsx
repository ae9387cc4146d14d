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
  useEffect(() => {
    // What is chosen in one window holds in all of them, as the colours do.
    const follow = ({ key, newValue }: StorageEvent) => {
      const chosen = languageOf(newValue)
      if (key === KEPT_AS && chosen !== undefined) speak(chosen)
    }
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [])
  return <SpokenContext value={spoken}>{children}</SpokenContext>
}

function firstLanguage(): Language {
  for (const name of [localStorage.getItem(KEPT_AS), ...navigator.languages]) {
    const found = languageOf(name)
    if (found !== undefined) return found
  }
  return 'en'
}

function languageOf(name: string | null): Language | undefined {
  return (Object.keys(LANGUAGES) as Language[]).find(language => name?.split('-')[0] === language)
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
