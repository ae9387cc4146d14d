import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { PageTitle } from '../components/page-title.tsx'
import { useTexts } from '../language/language.tsx'
import { Brand } from './brand.tsx'
import classes from './shell.module.css'
import { shellTexts } from './texts.ts'

/** For an address that leads nowhere. */
export function NotFoundPage() {
  const t = useTexts(shellTexts)
  return (
    <main id="content" className={classes.lost}>
      <Brand />
      <PageTitle lead={t.notFoundText}>{t.notFound}</PageTitle>
      <Button component={Link} to="/">
        {t.toStart}
      </Button>
    </main>
  )
}
