import { ActionIcon, Button, CopyButton } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../language/language.tsx'
import classes from './copy.module.css'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

/** A page that was opened over http from another machine has no clipboard; its texts are selected by hand. */
const CAN_COPY = 'clipboard' in navigator

interface CopyProps {
  /** What it is called: `agent key`. */
  readonly what: string
  readonly text: string
}

/** A text that is needed elsewhere, with a button that copies it. */
export function Copy({ what, text }: CopyProps) {
  const t = useTexts(componentTexts)
  const [isCopied, setCopied] = useState(false)
  return (
    <div className={classes.copy}>
      <code className={classes.text}>{text}</code>
      {CAN_COPY && (
        <Button
          variant="default"
          leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={16} />}
          aria-label={isCopied ? undefined : t.copy(what)}
          onClick={() => {
            void navigator.clipboard.writeText(text).then(() => setCopied(true))
          }}
        >
          {isCopied ? t.copied : t.copyShort}
        </Button>
      )}
      <span role="status" className="visually-hidden">
        {isCopied ? t.copied : ''}
      </span>
    </div>
  )
}

/** Copies a value to the clipboard. `what` names it for screen readers. */
export function CopyIcon({ value, what }: { readonly value: string; readonly what: string }) {
  const t = useTexts(componentTexts)
  if (!CAN_COPY) return null
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
