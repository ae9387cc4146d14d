import { Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../language/language.tsx'
import classes from './confirm.module.css'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { componentTexts } from './texts.ts'

interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  /** What will happen, and that it cannot be taken back. */
  readonly children: ReactNode
  /** The act itself, in words: `Pay ₹400.00`. */
  readonly act: string
  readonly acting: boolean
  /** What the other button says, where “Cancel” could be taken for the act. */
  readonly close?: string
  readonly danger?: boolean
  readonly error: Error | null
  readonly onAct: () => void
  readonly onClose: () => void
}

/** Asks before something that cannot be taken back. A refusal stays here, where the act can be tried again. */
export function Confirm(props: ConfirmProps) {
  const { opened, title, children, act, acting, danger = false, error, onAct, onClose } = props
  const t = useTexts(componentTexts)
  const { close = t.cancel } = props
  const shown = useErrorSince(opened, error)
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t.close }}>
      <Stack>
        {children}
        {shown !== null && <ErrorNotice error={shown} />}
        <Group justify="flex-end" gap="sm" className={classes.acts}>
          <Button variant="default" onClick={onClose}>
            {close}
          </Button>
          <Button loading={acting} onClick={onAct} {...(danger ? { color: 'red' } : {})} data-autofocus>
            {act}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** An error that was there before the question was asked is about something earlier. */
function useErrorSince(opened: boolean, error: Error | null): Error | null {
  const [asked, note] = useState({ opened, before: error })
  if (asked.opened !== opened) note({ opened, before: error })
  return error === asked.before ? null : error
}
