import { closeSpotlight, openSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../language/language.tsx'
import { useCommands } from './commands.ts'
import type { Destination } from './shell.tsx'
import { shellTexts } from './texts.ts'

interface PaletteProps {
  readonly destinations: readonly Destination[]
  readonly opened: boolean
  readonly onClose: () => void
}

/** Everything that can be reached or done from here, found by typing. */
export function Palette({ destinations, opened, onClose }: PaletteProps) {
  const t = useTexts(shellTexts)
  const navigate = useNavigate()
  const commands = useCommands()
  useEffect(() => (opened ? openSpotlight() : closeSpotlight()), [opened])
  const pages = destinations.map(({ to, label, icon }) => ({
    id: to,
    label: t.goTo(label),
    leftSection: <Icon name={icon} />,
    onClick: () => void navigate({ to }),
  }))
  const acts = commands.map(({ label, icon, run }) => ({
    id: label,
    label,
    leftSection: <Icon name={icon} />,
    onClick: run,
  }))
  const actions: SpotlightActionGroupData[] = [
    { group: t.pages, actions: pages },
    { group: t.commands, actions: acts },
  ]
  return (
    <Spotlight
      actions={actions}
      nothingFound={t.nothingFound}
      highlightQuery
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      attributes={{ content: { 'aria-label': t.palette } }}
      shortcut={null}
      onSpotlightClose={onClose}
      searchProps={{
        placeholder: t.paletteHint,
        'aria-label': t.palette,
        leftSection: <Icon name="search" />,
      }}
    />
  )
}
