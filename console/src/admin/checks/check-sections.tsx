import { SubPages } from '../../components/sections.tsx'
import { useTexts } from '../../language/language.tsx'
import { checksTexts } from './texts.ts'

/** The pages that belong to the checks. */
export function CheckSections() {
  const { title, sections } = useTexts(checksTexts)
  return (
    <SubPages
      label={title}
      pages={[
        ['/admin/checks', sections.checks],
        ['/admin/checks/reconciliation', sections.reconciliation],
        ['/admin/checks/settlements', sections.settlements],
        ['/admin/checks/deliveries', sections.deliveries],
        ['/admin/checks/wallets', sections.wallets],
      ]}
    />
  )
}
