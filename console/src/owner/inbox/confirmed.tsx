import type { Approval } from '@batua/sdk'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { DownloadProof, proofFile } from '../../agents/audit/download-proof.tsx'
import { HowToVerify } from '../../agents/audit/how-to-verify.tsx'
import type { ResultOf } from '../../api/api.tsx'
import { Card } from '../../components/card.tsx'
import { saveJson } from '../../components/save-file.ts'
import { useTexts } from '../../language/language.tsx'
import { inboxTexts } from './texts.ts'

interface ConfirmedProps {
  readonly approval: Approval
  /** null: another person's passkey. */
  readonly passkey: ResultOf<'getApprovalDetails'>['confirmed_by']
}

/** The files that prove, without the service, that the owner's passkey confirmed exactly this request. */
export function Confirmed({ approval, passkey }: ConfirmedProps) {
  const t = useTexts(inboxTexts)
  const approvalFile = `approval-${approval.approval_id}.json`
  return (
    <Card>
      <Title order={2} size="h3" mb="sm">
        {t.confirmed}
      </Title>
      {passkey === null ? (
        <Text>{t.confirmedElsewhere}</Text>
      ) : (
        <Stack gap="sm">
          <Text>{t.confirmedBy(passkey.name)}</Text>
          <Group>
            <Button size="sm" variant="default" onClick={() => saveJson(approval, approvalFile)}>
              {t.downloadApproval}
            </Button>
            <DownloadProof auditId={passkey.audit_id} label={t.downloadPasskey} />
          </Group>
          <HowToVerify files={`${approvalFile} --proof ${proofFile(passkey.audit_id)}`} />
        </Stack>
      )}
    </Card>
  )
}
