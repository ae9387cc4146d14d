import { ActionIcon, CopyButton } from '@mantine/core'
import { useTexts } from '../language/language.tsx'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

/** Copies a value to the clipboard. `what` names it for screen readers. */
export function Copy({ value, what }: { readonly value: string; readonly what: string }) {
  const t = useTexts(componentTexts)
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          aria-label={copied ? t.copied : t.copy(what)}
          onClick={copy}
        >
          <Icon name={copied ? 'check' : 'copy'} size={18} />
        </ActionIcon>
      )}
    </CopyButton>
  )
}
