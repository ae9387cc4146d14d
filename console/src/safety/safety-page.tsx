import { PageTitle } from '../components/page-title.tsx'
import { useTexts } from '../language/language.tsx'
import { Sessions } from './sessions.tsx'
import { safetyTexts } from './texts.ts'

/** Who is logged in as this person, and the ways to end that. */
export function SafetyPage() {
  const t = useTexts(safetyTexts)
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Sessions />
    </>
  )
}
