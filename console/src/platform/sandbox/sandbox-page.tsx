import { Stack } from '@mantine/core'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import { IS_SANDBOX } from '../../shell/mode.ts'
import { BankPanel, PayoutPanel } from './banks.tsx'
import { ClockPanel } from './clock.tsx'
import { FundingPanel } from './funding.tsx'
import { PhonePanel } from './phone.tsx'
import { sandboxTexts } from './texts.ts'
import { UpiPanel } from './upi.tsx'

/** Plays what is outside of the service: payers, banks, phones and time. */
export function SandboxPage() {
  const t = useTexts(sandboxTexts)
  if (!IS_SANDBOX) {
    return (
      <>
        <PageTitle>{t.title}</PageTitle>
        <EmptyState icon="play" title={t.liveTitle} action={<NextStep to="/platform">{t.toStart}</NextStep>}>
          {t.live}
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Stack>
        <FundingPanel />
        <UpiPanel />
        <ClockPanel />
        <BankPanel />
        <PayoutPanel />
        <PhonePanel />
      </Stack>
    </>
  )
}
