import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNotice } from '../components/error-notice.tsx'
import { componentTexts } from '../components/texts.ts'
import { useTexts } from '../language/language.tsx'
import classes from './shell.module.css'

/** In place of a page whose code failed. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const t = useTexts(componentTexts)
  return (
    <div className={classes.main}>
      <ErrorNotice error={error instanceof Error ? error : new Error(String(error))} />
      <Button mt="md" variant="default" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </div>
  )
}
