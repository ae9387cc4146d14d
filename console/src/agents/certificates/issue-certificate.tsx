import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { certificatesTexts } from './texts.ts'

const CAPABILITIES = ['pay', 'receive', 'escrow', 'verify'] as const
const MAX_DAYS = 3_650

interface IssueCertificateProps {
  readonly agentId: string
  readonly onClose: () => void
}

/** A further certificate: what it says, and for how long. */
export function IssueCertificate({ agentId, onClose }: IssueCertificateProps) {
  const t = useTexts(certificatesTexts)
  const [chosen, choose] = useState<readonly string[]>(CAPABILITIES)
  const [written, write] = useState('365')
  const [isChecked, check] = useState(false)
  const days = /^\d{1,4}$/.test(written.trim()) ? Number(written) : 0
  const areDaysWrong = days < 1 || days > MAX_DAYS
  const capabilities = CAPABILITIES.filter(each => chosen.includes(each))
  const issue = useAct('issueCertificate', {
    onDone() {
      onClose()
      sayDone(t.isIssued)
    },
  })
  const submit = () => {
    check(true)
    if (areDaysWrong || capabilities.length === 0) return
    issue.mutate({ agent_id: agentId, capabilities, validity_days: days })
  }
  return (
    <Confirm
      opened
      title={t.issue}
      act={t.issue}
      acting={issue.isPending}
      error={issue.error}
      onAct={submit}
      onClose={onClose}
    >
      <Text c="dimmed">{t.issueHint}</Text>
      <Checkbox.Group
        label={t.says}
        value={[...chosen]}
        onChange={choose}
        error={isChecked && capabilities.length === 0 && t.noCapability}
      >
        <Stack gap="sm" mt="xs">
          {CAPABILITIES.map(each => (
            <Checkbox key={each} value={each} label={t.capabilities[each]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        label={t.days}
        name="days"
        inputMode="numeric"
        autoComplete="off"
        value={written}
        onChange={event => write(event.currentTarget.value)}
        error={isChecked && areDaysWrong && t.daysWrong}
      />
    </Confirm>
  )
}
