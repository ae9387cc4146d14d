import { useTexts } from '../../language/language.tsx'
import { Sections } from '../sections.tsx'
import { checksTexts } from './texts.ts'

/** The pages that belong to the checks. */
export function CheckSections() {
  const { title, sections } = useTexts(checksTexts)
  return (
    <Sections
      label={title}
      sections={[
        { to: '/admin/checks', name: sections.checks, exact: true },
        { to: '/admin/checks/reconciliation', name: sections.reconciliation },
        { to: '/admin/checks/settlements', name: sections.settlements },
        { to: '/admin/checks/deliveries', name: sections.deliveries },
        { to: '/admin/checks/wallets', name: sections.wallets },
      ]}
    />
  )
}
