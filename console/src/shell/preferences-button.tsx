import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Session } from '../api/api.tsx'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../language/language.tsx'
import { shellTexts } from './texts.ts'

const Preferences = lazy(async () => ({ default: (await import('./preferences.tsx')).Preferences }))

/** Opens the preferences. Their code is loaded at the first time. */
export function PreferencesButton({ session }: { readonly session?: Session }) {
  const t = useTexts(shellTexts)
  const [isWanted, want] = useState(false)
  const [isOpen, open] = useState(false)
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={44}
        aria-label={t.preferences}
        aria-haspopup="dialog"
        onClick={() => {
          want(true)
          open(true)
        }}
      >
        <Icon name="settings" />
      </ActionIcon>
      {isWanted && (
        <Suspense>
          <Preferences opened={isOpen} onClose={() => open(false)} session={session ?? null} />
        </Suspense>
      )}
    </>
  )
}
