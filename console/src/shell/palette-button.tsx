import { ActionIcon } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../language/language.tsx'
import type { Destination } from './shell.tsx'
import { shellTexts } from './texts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Opens the command palette, by click or by Ctrl+K (⌘K). Its code is loaded at the first time. */
export function PaletteButton({ destinations }: { readonly destinations: readonly Destination[] }) {
  const t = useTexts(shellTexts)
  const [isWanted, want] = useState(false)
  const [isOpen, open] = useState(false)
  const show = () => {
    want(true)
    open(true)
  }
  useHotkeys([['mod+K', show]], [])
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={44}
        aria-label={t.palette}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={show}
      >
        <Icon name="search" />
      </ActionIcon>
      {isWanted && (
        <Suspense>
          <Palette destinations={destinations} opened={isOpen} onClose={() => open(false)} />
        </Suspense>
      )}
    </>
  )
}
