import { useMantineColorScheme } from '@mantine/core'
import { createContext, use } from 'react'
import type { IconName } from '../components/icon.tsx'
import { useLanguage, useTexts } from '../language/language.tsx'
import { LANGUAGES, type Language } from '../language/texts.ts'
import { shellTexts } from './texts.ts'

/** Something that the command palette can do. */
export interface Command {
  readonly label: string
  readonly icon: IconName
  readonly run: () => void
}

export const OwnCommands = createContext<readonly Command[]>([])

/** The commands of this console, and those that every console has. */
export function useCommands(): readonly Command[] {
  const t = useTexts(shellTexts)
  const own = use(OwnCommands)
  const { speak, language } = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const others = (Object.keys(LANGUAGES) as Language[]).filter(name => name !== language)
  return [
    ...own,
    ...others.map(name => ({
      label: `${t.language}: ${LANGUAGES[name].name}`,
      icon: 'settings' as const,
      run: () => speak(name),
    })),
    ...(['light', 'dark', 'auto'] as const).map(scheme => ({
      label: `${t.appearance}: ${t[scheme]}`,
      icon: 'settings' as const,
      run: () => setColorScheme(scheme),
    })),
  ]
}
